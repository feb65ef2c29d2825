import { decimal } from '@gateramp/core/domain';
import type { LegsStore } from './ports/legs-store.js';
import type { IdentityLeg, IdentityResult, ScreeningLeg } from './ports/legs.js';

/** `fakeScreening` blocks addresses with this ending, in any letter case, as the sandbox provider does. */
export const FAKE_BLOCKED_ENDING = 'dead0001';
/** `fakeIdentity` requires verification for amounts in this range, as the sandbox provider does; others are verified at once. */
export const FAKE_KYC_AMOUNTS = { from: '14.00', to: '14.99' } as const;
/** `fakeIdentity` rejects buyers with this last name. */
export const FAKE_REJECTED_NAME = 'Rejected';

/** Screening by the address alone, for tests and demos. */
export function fakeScreening(): ScreeningLeg {
  return {
    contract: 2,
    name: 'fake',
    screen: async ({ address }) => ({
      kind: address.toLowerCase().endsWith(FAKE_BLOCKED_ENDING) ? 'blocked' : 'clear',
    }),
  };
}

/** Identity checks by amount and name, for tests and demos. Stores the verdict of each check, and no personal data. */
export function fakeIdentity({ store }: { readonly store: LegsStore }): IdentityLeg {
  const load = async (callId: string): Promise<IdentityResult | null> => {
    const document = await store.load(KIND, callId);
    if (document === null) return null;
    return document.body === 'verified' ? { kind: 'verified' } : REJECTED;
  };
  return {
    contract: 2,
    name: 'fake',
    async check({ callId, amount }) {
      const isChecked =
        decimal.compare(amount, FAKE_KYC_AMOUNTS.from) >= 0 && decimal.compare(amount, FAKE_KYC_AMOUNTS.to) <= 0;
      return isChecked ? ((await load(callId)) ?? ASKED) : { kind: 'verified' };
    },
    async confirm({ callId, confirmation }) {
      if (confirmation.action !== 'kyc') return (await load(callId)) ?? ASKED;
      const body = confirmation.kyc.lastName === FAKE_REJECTED_NAME ? 'rejected' : 'verified';
      const verdict = { kind: KIND, id: callId, version: 1, status: 'kept', dueAt: null, body };
      // The first verdict is final: a later commit is stale.
      await store.commit({ documents: [verdict], entries: [] });
      return (await load(callId)) ?? ASKED;
    },
  };
}

const KIND = 'fake_identity';

const ASKED: IdentityResult = {
  kind: 'requires_action',
  nextAction: { type: 'kyc', level: 'basic', fields: ['first_name', 'last_name', 'date_of_birth'] },
};

const REJECTED: IdentityResult = {
  kind: 'failed',
  failure: { code: 'kyc_rejected', message: 'Your identity could not be verified.', retryable: false },
};
