import assert from 'node:assert/strict';
import type { Decimal, Instant, Mode, NextAction } from '@gateramp/core/domain';
import type { Confirmation, Provider, RefundingProvider, StartOrder } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from '../law.js';

/** The provider under test, for the laws of the `Provider` port. */
export interface ProviderSubject {
  /** A new provider each time, with a processor or a processor account on which nothing has been paid. */
  create(): Promise<ProviderOnTrial>;
  /** Why something cannot be tried, such as `{ callbacks: 'The processor sends none.' }`. Titles then say that its laws are not proved. */
  readonly notProved?: Partial<Record<ProviderAbility, string>>;
}

/** What laws may require of a subject besides payments that succeed. `modes`: `order` can be started in either mode. */
export type ProviderAbility =
  | 'actions'
  | 'callbacks'
  | 'declines'
  | 'modes'
  | 'outages'
  | 'processes'
  | 'refunds'
  | 'refusedConnections';

/** A provider, the processor behind it, and the time of both. Everything optional is provided, or listed in `notProved`. */
export interface ProviderOnTrial {
  readonly provider: Provider;
  readonly now: () => Instant;
  /** Lets time pass, and ends the background work that became due. */
  readonly wait: (ms: number) => Promise<void>;
  /**
   * A start of a new on-ramp that the processor accepts, with an `operationId` of its own. The amount is divisible by ten at the
   * currency's decimals.
   */
  readonly order: () => StartOrder;
  /** The money that the processor moved, of all payments. Counts what happened there, not what the provider has recorded. */
  readonly money: () => Promise<ProviderMoney>;
  /** Starts that the processor declines. */
  readonly declined?: () => StartOrder;
  /** Starts that require an action, and the buyer's part of it. Null for an action that is not confirmed. */
  readonly actions?: {
    readonly order: () => StartOrder;
    readonly act: (action: NextAction) => Promise<Confirmation | null>;
  };
  readonly callbacks?: ProviderCallbacks;
  readonly outages?: ProviderOutages;
  /** The provider as another process creates it: on the same processor and the same stored data. */
  readonly another?: () => Promise<Provider>;
  readonly close: () => Promise<void>;
}

/** Decimal text in the currency of the orders. */
export interface ProviderMoney {
  readonly taken: Decimal;
  /** Refunds, and payments that were reversed. */
  readonly returned: Decimal;
}

/** The processor's callbacks. */
export interface ProviderCallbacks {
  /** The body that the processor sends about an operation as it stands now; another event each time. */
  readonly body: (operationId: string, mode: Mode) => Promise<Uint8Array>;
  /** A body about a payment of another system on the same account. */
  readonly foreign: () => Promise<Uint8Array>;
  /** The headers with which the processor sends a body now, in lower case. */
  readonly sign: (rawBody: Uint8Array, mode: Mode) => Promise<Readonly<Record<string, string>>>;
}

/** Failures of the connection to the processor. */
export interface ProviderOutages {
  /** From now on connections are refused, so that nothing is sent. */
  readonly refuseConnections?: () => Promise<void>;
  /** From now on requests are carried out, but time out. */
  readonly loseAnswers: () => Promise<void>;
  /** From now on requests time out and are not carried out, which the provider cannot know. */
  readonly loseRequests: () => Promise<void>;
  /** Ends the failure. */
  readonly recover: () => Promise<void>;
}

/** A trial with everything that the subject does not list as not proved. */
export interface FullTrial extends ProviderOnTrial {
  readonly provider: RefundingProvider;
  readonly declined: () => StartOrder;
  readonly actions: NonNullable<ProviderOnTrial['actions']>;
  readonly callbacks: ProviderCallbacks;
  readonly outages: Required<ProviderOutages>;
  readonly another: () => Promise<Provider>;
}

/** What a law can use: the always present part of a trial, and the abilities that it names. */
type TrialWith<Ability extends ProviderAbility> = ProviderOnTrial & Pick<FullTrial, MemberOf[Ability]>;

interface MemberOf {
  actions: 'actions';
  callbacks: 'callbacks';
  declines: 'declined';
  modes: never;
  outages: 'outages';
  processes: 'another';
  refunds: 'provider';
  refusedConnections: 'outages';
}

/** Laws of one topic that require these abilities. */
export function providerLawsOf<Ability extends ProviderAbility = never>(
  topic: string,
  abilities: readonly Ability[],
  laws: Readonly<Record<string, (trial: TrialWith<Ability>) => Promise<void>>>,
): readonly Law<ProviderSubject>[] {
  return Object.entries(laws).flatMap(([title, check]) =>
    requiring(
      abilities,
      lawsOnTrial<ProviderOnTrial>(topic, {
        [title]: async (trial) => {
          const named = abilities.join(', ');
          assert.ok(hasAll(trial, abilities), `Provide ${named}, or say in \`notProved\` why it cannot be tried.`);
          await check(trial);
        },
      }),
    ),
  );
}

/** The same laws, which are not proved for a subject without one of these abilities. */
export function requiring(
  abilities: readonly ProviderAbility[],
  laws: readonly Law<ProviderSubject>[],
): readonly Law<ProviderSubject>[] {
  const missing = ({ notProved = {} }: ProviderSubject) =>
    abilities.filter((ability) => notProved[ability] !== undefined);
  return laws.map((law) => ({
    ...law,
    run: (subject) => (missing(subject).length === 0 ? law.run(subject) : expectMissing(subject, missing(subject))),
    unproved: (subject) => missing(subject).map((ability) => subject.notProved?.[ability])[0] ?? null,
  }));
}

/** An ability that is listed in `notProved` although the trial has it would leave its laws unproved for no reason. */
async function expectMissing(subject: ProviderSubject, abilities: readonly ProviderAbility[]): Promise<void> {
  const trial = await subject.create();
  try {
    for (const ability of abilities)
      assert.ok(!hasAll(trial, [ability]), `The subject provides ${ability}: remove it from \`notProved\`.`);
  } finally {
    await trial.close();
  }
}

/** Whether the trial has what these abilities name. */
export function hasAll<Ability extends ProviderAbility>(
  trial: ProviderOnTrial,
  abilities: readonly Ability[],
): trial is TrialWith<Ability> {
  const has: Readonly<Record<ProviderAbility, boolean>> = {
    actions: trial.actions !== undefined,
    callbacks: trial.callbacks !== undefined,
    declines: trial.declined !== undefined,
    modes: trial.provider.modes === undefined || trial.provider.modes.length > 1,
    outages: trial.outages !== undefined,
    processes: trial.another !== undefined,
    refusedConnections: trial.outages?.refuseConnections !== undefined,
    refunds: trial.provider.refund !== undefined && trial.provider.lookupRefund !== undefined,
  };
  return abilities.every((ability) => has[ability]);
}
