import assert from 'node:assert/strict';
import type { Confirmation } from '@gateramp/core/ports';
import type { IdentityLeg, IdentityOrder, ScreeningLeg, ScreeningOrder } from '@gateramp/provider-legs';
import { T0 } from './builders.js';
import { lawsOnTrial, type Law } from './law.js';

/** A screening leg, with control over its service. */
export interface ScreeningLegOnTrial {
  readonly leg: ScreeningLeg;
  /** Sets the decision on new calls. Earlier calls keep theirs. */
  readonly decide: (result: 'clear' | 'blocked' | 'pending') => void;
  /** Ways in which an answer can be missing or wrong; none for a leg without a service. */
  readonly troubles: readonly string[];
  /** Starts one of the faults; null ends it. */
  readonly cause: (trouble: string | null) => void;
  readonly close: () => Promise<void>;
}

/** An identity leg, with control over its service. */
export interface IdentityLegOnTrial {
  readonly leg: IdentityLeg;
  /** Sets the decision on new checks. `asks` requires a confirmation, which is then accepted. */
  readonly decide: (result: 'verified' | 'rejected' | 'asks') => void;
  readonly troubles: readonly string[];
  readonly cause: (trouble: string | null) => void;
  readonly close: () => Promise<void>;
}

const SCREENED: ScreeningOrder = {
  callId: 'op1-screen',
  mode: 'test',
  now: T0,
  moment: 'before_payment',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  asset: 'USDC',
  network: 'base',
  amount: '50.00',
};

/** Laws of screening: only the answer `clear` to the same call lets money through. */
export const screeningLegLaws: readonly Law<{ create(): Promise<ScreeningLegOnTrial> }>[] =
  lawsOnTrial<ScreeningLegOnTrial>('the screening leg', {
    async 'returns the decision of the service'({ leg, decide }) {
      for (const result of ['clear', 'blocked', 'pending'] as const) {
        decide(result);
        assert.equal((await leg.screen({ ...SCREENED, callId: `op-${result}-screen` })).kind, result);
      }
    },

    async 'returns the first result to a repeated call'({ leg, decide }) {
      decide('blocked');
      await leg.screen(SCREENED);
      decide('clear');
      assert.equal((await leg.screen(SCREENED)).kind, 'blocked');
      assert.equal((await leg.screen({ ...SCREENED, callId: 'op1-rescreen', moment: 'before_send' })).kind, 'clear');
    },

    async 'throws while the answer is missing or invalid, and returns a result afterwards'({
      leg,
      decide,
      troubles,
      cause,
    }) {
      decide('clear');
      for (const trouble of troubles) {
        cause(trouble);
        const order = { ...SCREENED, callId: `op-${trouble.replaceAll(' ', '_')}-screen` };
        await assert.rejects(leg.screen(order), `${trouble} was taken for an answer`);
        cause(null);
        assert.equal((await leg.screen(order)).kind, 'clear');
      }
    },
  });

const CHECKED: IdentityOrder = {
  callId: 'op1-identify',
  mode: 'test',
  now: T0,
  amount: '14.50',
  currency: 'EUR',
  countryCode: 'DE',
};

const GIVEN: Confirmation = {
  action: 'kyc',
  kyc: { firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1990-12-10', documentNumber: null },
};

/** Laws of identity: only the answer `verified` to the same check lets a buyer continue. */
export const identityLegLaws: readonly Law<{ create(): Promise<IdentityLegOnTrial> }>[] =
  lawsOnTrial<IdentityLegOnTrial>('the identity leg', {
    async 'returns the same verdict for a repeated check'({ leg, decide }) {
      decide('rejected');
      const first = await verdict(leg);
      assert.equal(first.kind, 'failed');
      decide('verified');
      assert.deepEqual(await leg.check(CHECKED), first);
      assert.deepEqual(await leg.confirm({ ...CHECKED, confirmation: GIVEN }), first);
    },

    async "requests the buyer's data, and verifies after the answer"({ leg, decide }) {
      decide('asks');
      assert.equal((await leg.check(CHECKED)).kind, 'requires_action');
      assert.equal((await leg.check(CHECKED)).kind, 'requires_action');
      assert.deepEqual(await leg.confirm({ ...CHECKED, confirmation: GIVEN }), { kind: 'verified' });
      assert.deepEqual(await leg.check(CHECKED), { kind: 'verified' });
    },

    async 'throws while the answer is missing or invalid, and returns a result afterwards'({
      leg,
      decide,
      troubles,
      cause,
    }) {
      decide('verified');
      for (const trouble of troubles) {
        cause(trouble);
        const order = { ...CHECKED, callId: `op-${trouble.replaceAll(' ', '_')}-identify` };
        await assert.rejects(leg.check(order), `${trouble} was taken for an answer`);
        await assert.rejects(leg.confirm({ ...order, confirmation: GIVEN }), `${trouble} was taken for an answer`);
        cause(null);
        assert.equal((await leg.check(order)).kind, 'verified');
      }
    },
  });

/** The verdict of the check, after the buyer's confirmation if the leg requires one. */
async function verdict(leg: IdentityLeg) {
  const first = await leg.check(CHECKED);
  return first.kind === 'requires_action' ? leg.confirm({ ...CHECKED, confirmation: GIVEN }) : first;
}
