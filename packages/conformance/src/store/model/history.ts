import fc from 'fast-check';
import { MINUTE, SECOND, type Lane } from '@gateramp/core/domain';

/** A request to the store. Numbers select among what exists when the round begins. */
export type Command =
  | { readonly kind: 'create'; readonly partner: number; readonly key: number | null; readonly body: number }
  | { readonly kind: 'decide'; readonly session: number; readonly step: Step; readonly versionsBehind: number }
  | { readonly kind: 'claim'; readonly lane: Lane; readonly limit: number; readonly perEndpoint: number }
  | { readonly kind: 'record'; readonly claim: number; readonly acknowledged: boolean }
  | { readonly kind: 'claimTasks'; readonly limit: number }
  | { readonly kind: 'finish'; readonly claim: number };

/** `touch` writes the session without an event. */
export type Step = 'cancel' | 'expire' | 'complete' | 'fail' | 'touch';

/** Time passes, then all commands run concurrently. */
export interface Round {
  readonly elapse: number;
  readonly commands: readonly Command[];
}

const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      partner: fc.nat(1),
      key: fc.option(fc.nat(2), { nil: null }),
      body: fc.nat(1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      session: fc.nat(2),
      step: fc.constantFrom<Step[]>('cancel', 'expire', 'complete', 'fail', 'fail', 'touch', 'touch'),
      versionsBehind: fc.constantFrom(0, 0, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      lane: fc.constantFrom<Lane[]>('first', 'retry'),
      limit: fc.integer({ min: 1, max: 5 }),
      perEndpoint: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('record' as const), claim: fc.nat(3), acknowledged: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('claimTasks' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('finish' as const), claim: fc.nat(3) }) },
);

/** Histories with races: up to seven concurrent commands, leases that expire between rounds, decisions on old versions. */
export const histories: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({
    elapse: fc.constantFrom(0, SECOND, MINUTE - 1, MINUTE, 5 * MINUTE),
    commands: fc.array(commands, { minLength: 1, maxLength: 7 }),
  }),
  { minLength: 2, maxLength: 14 },
);
