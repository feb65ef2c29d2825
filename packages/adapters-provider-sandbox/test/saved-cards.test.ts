import { DOCUMENT_SIDES } from '@gateramp/core/domain';
import { expect, it } from 'vitest';
import { DOCUMENT_AMOUNTS, sandboxProvider, SANDBOX_CARDS } from '../src/index.js';
import { at, intent, NOW, start } from './builders.js';

const CARD = { cardNumber: SANDBOX_CARDS.succeeds, expiry: '12/30', cvc: '123', saveFor: 'ada' };
const CUSTOMER = { customer: 'ada', mode: 'test', now: NOW } as const;

it('a card is saved when its money begins to move, also where a review of documents comes first', async () => {
  const sandbox = sandboxProvider();
  const listed = async () => (await sandbox.listSavedMethods(CUSTOMER)).map(({ last4 }) => last4);
  const amount = { amount: DOCUMENT_AMOUNTS.reviewedFrom };
  await sandbox.start(start(amount, { paymentDetails: CARD }));
  for (const side of DOCUMENT_SIDES)
    await sandbox.receiveDocument?.({ ...at(0), side, mediaType: 'image/png', bytes: Uint8Array.of(1) });
  const nobody = { firstName: null, lastName: null, dateOfBirth: null, documentNumber: null };
  const confirmation = { action: 'kyc', kyc: { ...nobody, documents: 'submitted' } } as const;
  await sandbox.confirm({ ...at(0), intent: intent(amount), confirmation });
  await sandbox.lookup(at(29_000));
  expect(await listed()).toEqual([]);
  expect((await sandbox.lookup(at(30_000)))?.outcome.kind).toBe('processing');
  expect(await listed()).toEqual(['4242']);
  await sandbox.lookup(at(31_000));
  expect(await listed()).toEqual(['4242']);
});
