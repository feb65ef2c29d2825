import { SANDBOX_REFUNDS } from '@gateramp/adapters-provider-sandbox';
import fc from 'fast-check';
import type { Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import { withStore, type StoreSubject } from '../store/store-subject.js';
import { actor, DISTURBANCES, type Part, type Role } from './actors.js';
import { playPoolTrial, type PoolTrial } from './pool-trial.js';
import { playRailTrial, RAIL_PARTS, type RailTrial } from './rail-trial.js';
import { playRefundTrial, REFUND_CALLS, REFUND_DISTURBANCES, type RefundTrial } from './refund-trial.js';
import { Scene, type Purchase } from './scene.js';
import { expectMoneyWhereItBelongs } from './verdict.js';

/** The store under test, and the number of interleavings: 200 by default. */
export interface InterleavingSubject extends StoreSubject {
  readonly interleavings?: number;
  /** Repeats one run of a failed trial. */
  readonly seed?: number;
}

/** The concurrent actions of a trial; the seed alone decides their order. */
export interface Trial {
  readonly purchase: Purchase;
  readonly isBegun: boolean;
  readonly minutesLeft: number;
  readonly roles: readonly Role[];
  readonly seed: number;
}

/** Guarantees about purchases for every interleaving of the calls of stores and other ports. */
export const interleavingLaws: readonly Law<InterleavingSubject>[] = [
  {
    topic: 'calls that interleave at every port call',
    title: 'keep money exactly when one payment completed its session, or the provider reported it after the close',
    async run(subject) {
      await fc.assert(
        fc.asyncProperty(trials(), (trial) => withStore(subject, (store) => playTrial(store, trial))),
        { numRuns: subject.interleavings ?? 200, ...(subject.seed === undefined ? {} : { seed: subject.seed }) },
      );
    },
  },
  {
    topic: 'calls that interleave at every port call',
    title: 'execute a pool quote at most once, never overspend the balance, and leave no reservation',
    async run(subject) {
      await fc.assert(
        fc.asyncProperty(poolTrials(), (trial) => withStore(subject, (store) => playPoolTrial(store, trial))),
        {
          // These trials take longest: each settles its trades.
          numRuns: Math.ceil((subject.interleavings ?? 200) / 2),
          ...(subject.seed === undefined ? {} : { seed: subject.seed }),
        },
      );
    },
  },
  {
    topic: 'calls that interleave at every port call',
    title:
      'use a rails quote at most once, and keep money exactly when its payment succeeded, or the provider reported it later',
    async run(subject) {
      await fc.assert(
        fc.asyncProperty(railTrials(), (trial) => withStore(subject, (store) => playRailTrial(store, trial))),
        {
          numRuns: Math.ceil((subject.interleavings ?? 200) / 2),
          ...(subject.seed === undefined ? {} : { seed: subject.seed }),
        },
      );
    },
  },
  {
    topic: 'calls that interleave at every port call',
    title:
      'refund at most the paid amount, settle each refund once as the provider reports, and answer a repeated key the same',
    async run(subject) {
      await fc.assert(
        fc.asyncProperty(refundTrials(), (trial) => withStore(subject, (store) => playRefundTrial(store, trial))),
        {
          numRuns: Math.ceil((subject.interleavings ?? 200) / 2),
          ...(subject.seed === undefined ? {} : { seed: subject.seed }),
        },
      );
    },
  },
];

/** Runs one trial and checks its result; the error of a failed trial contains its trace. */
export async function playTrial(store: Store, trial: Trial): Promise<void> {
  const scene = await Scene.open(store, trial.purchase, trial.seed, trial.minutesLeft);
  if (trial.isBegun) await scene.begin(scene.still);
  try {
    await scene.turns.run(trial.roles.map((role, index) => actor(scene, role, index)));
    await expectMoneyWhereItBelongs(scene);
  } catch (error) {
    throw new Error(`${String(error)}\n${scene.turns.story.join('\n')}`, { cause: error });
  }
}

/** A buyer who pays, and up to three disturbances, each after a number of turns. */
function trials(): fc.Arbitrary<Trial> {
  return fc.record({
    purchase: fc.constantFrom<Purchase>('card', 'card with a code', 'card with identity', 'sale', 'swap'),
    isBegun: fc.boolean(),
    minutesLeft: fc.constantFrom(1, 50),
    roles: fc
      .tuple(role(['buyer'], 4), fc.array(role(DISTURBANCES, 40), { minLength: 1, maxLength: 3 }))
      .map(([buyer, others]) => [buyer, ...others]),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  });
}

function role(parts: readonly Part[], hesitationMax: number): fc.Arbitrary<Role> {
  return fc.record({
    part: fc.constantFrom(...parts),
    process: fc.constantFrom('A', 'B'),
    hesitation: fc.nat(hesitationMax),
  });
}

/** Two to five clients, with workers, passing time and the crash of a process. */
function poolTrials(): fc.Arbitrary<PoolTrial> {
  const common = {
    process: fc.constantFrom<'A' | 'B'>('A', 'B'),
    hesitation: fc.nat(25),
    quote: fc.nat(2),
    key: fc.nat(3),
  };
  const client = fc.record({ ...common, part: fc.constant<'client'>('client') });
  const others = ['worker', 'worker after the leases have lapsed', 'crash'] as const;
  const other = fc.record({ ...common, part: fc.constantFrom(...others) });
  return fc.record({
    funds: fc.nat(3),
    quotes: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
    roles: fc
      .tuple(fc.array(client, { minLength: 2, maxLength: 5 }), fc.array(other, { maxLength: 3 }))
      .map(([clients, rest]) => [...clients, ...rest]),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  });
}

/** One to three clients that execute a quote, and up to four disturbances. */
function railTrials(): fc.Arbitrary<RailTrial> {
  const common = { process: fc.constantFrom<'A' | 'B'>('A', 'B'), quote: fc.nat(2), key: fc.nat(2) };
  const partner = fc.record({ ...common, part: fc.constant('partner' as const), hesitation: fc.nat(10) });
  const other = fc.record({ ...common, part: fc.constantFrom(...RAIL_PARTS), hesitation: fc.nat(40) });
  return fc.record({
    kind: fc.constantFrom<RailTrial['kind']>('pay_in', 'pay_out'),
    quotes: fc.integer({ min: 1, max: 2 }),
    roles: fc
      .tuple(fc.array(partner, { minLength: 1, maxLength: 3 }), fc.array(other, { minLength: 1, maxLength: 4 }))
      .map(([partners, others]) => [...partners, ...others]),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  });
}

/** Two to four operators that refund, some with the same key, and up to three disturbances. */
function refundTrials(): fc.Arbitrary<RefundTrial> {
  const common = {
    process: fc.constantFrom<'A' | 'B'>('A', 'B'),
    amount: fc.constantFrom(null, '60.00', '40.00', SANDBOX_REFUNDS.fails, SANDBOX_REFUNDS.isSlow),
    key: fc.nat(3),
  };
  const operator = fc.record({ ...common, part: fc.constant('operator' as const), hesitation: fc.nat(20) });
  const other = fc.record({ ...common, part: fc.constantFrom(...REFUND_DISTURBANCES), hesitation: fc.nat(40) });
  return fc.record({
    calls: fc.array(fc.constantFrom(...REFUND_CALLS), { maxLength: 4 }),
    roles: fc
      .tuple(fc.array(operator, { minLength: 2, maxLength: 4 }), fc.array(other, { maxLength: 3 }))
      .map(([operators, others]) => [...operators, ...others]),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  });
}
