import assert from 'node:assert/strict';
import type { SavedMethod } from '@gateramp/core/domain';
import type { CustomerOrder, SavedMethodDetails, SavingProvider } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from './law.js';

/** The provider under test, for the laws of saved payment methods. */
export interface ProviderSavingSubject {
  /** New and empty each time. */
  create(): Promise<ProviderSavingOnTrial>;
}

/** A provider, and ways to pay with it. */
export interface ProviderSavingOnTrial {
  readonly provider: Pick<SavingProvider, 'listSavedMethods' | 'forgetSavedMethod'>;
  /**
   * Starts a new payment in test mode with a valid card, which is saved for this customer unless null, or with a saved
   * method. Returns whether money was taken.
   */
  readonly pay: (details: { readonly saveFor: string | null } | Omit<SavedMethodDetails, 'cvc'>) => Promise<boolean>;
  readonly now: number;
  readonly close: () => Promise<void>;
}

const ADA = 'customer-ada';
const BOB = 'customer-bob';

/** The engine's requirements for `listSavedMethods` and `forgetSavedMethod` of a provider. */
export const providerSavingLaws: readonly Law<ProviderSavingSubject>[] = lawsOnTrial<ProviderSavingOnTrial>(
  'Saved payment methods of a provider',
  {
    async 'are only those that the customer has paid with and consented to save'(trial) {
      assert.deepEqual(await listed(trial, ADA), []);
      assert.equal(await trial.pay({ saveFor: null }), true);
      assert.deepEqual(await listed(trial, ADA), []);
      const { last4, expiryMonth, expiryYear } = await saved(trial, ADA);
      assert.match(last4, /^\d{4}$/);
      assert.ok(Number.isInteger(expiryMonth) && expiryMonth >= 1 && expiryMonth <= 12);
      assert.ok(Number.isInteger(expiryYear) && expiryYear >= 2000);
    },
    async 'can be used repeatedly by the customer who saved them'(trial) {
      const { id } = await saved(trial, ADA);
      for (let times = 0; times < 2; times += 1)
        assert.equal(await trial.pay({ customer: ADA, savedMethod: id }), true);
      assert.equal((await listed(trial, ADA)).length, 1);
    },
    async 'cannot be listed, used or removed by another customer or in the other mode'(trial) {
      const { id } = await saved(trial, ADA);
      await saved(trial, BOB);
      assert.ok((await listed(trial, BOB)).every((one) => one.id !== id));
      assert.deepEqual(await listed(trial, ADA, 'live'), []);
      assert.equal(await trial.pay({ customer: BOB, savedMethod: id }), false);
      assert.equal(await forget(trial, BOB, id), false);
      assert.equal(await forget(trial, ADA, id, 'live'), false);
      assert.deepEqual(
        (await listed(trial, ADA)).map((one) => one.id),
        [id],
      );
    },
    async 'are removed permanently'(trial) {
      const { id } = await saved(trial, ADA);
      assert.deepEqual(await Promise.all([forget(trial, ADA, id), forget(trial, ADA, 'unknown')]), [true, false]);
      assert.deepEqual(await listed(trial, ADA), []);
      assert.equal(await forget(trial, ADA, id), false);
      assert.equal(await trial.pay({ customer: ADA, savedMethod: id }), false);
    },
  },
);

type Mode = CustomerOrder['mode'];

function listed({ provider, now }: ProviderSavingOnTrial, customer: string, mode: Mode = 'test') {
  return provider.listSavedMethods({ customer, mode, now });
}

function forget({ provider, now }: ProviderSavingOnTrial, customer: string, methodId: string, mode: Mode = 'test') {
  return provider.forgetSavedMethod({ customer, methodId, mode, now });
}

/** The single method of a customer who has just saved a card. */
async function saved(trial: ProviderSavingOnTrial, customer: string): Promise<SavedMethod> {
  assert.equal(await trial.pay({ saveFor: customer }), true);
  const [method, ...others] = await listed(trial, customer);
  assert.ok(method !== undefined && others.length === 0, 'a saved card is listed once');
  return method;
}
