import { decimal, type Flow, type Instant, type RefundFailure, type Side } from '@gateramp/core/domain';
import type { Ending } from './ending.js';
import type { OperationPlan } from './plan.js';

/** A movement of money. If `at` is in the future, it happens unless the operation's end changes first. */
export interface MoneyEffect {
  readonly kind: EffectKind;
  readonly amount: string;
  readonly currency: string;
  readonly at: Instant;
}

/**
 * In: charge (fiat), deposit (crypto). Out: delivery (crypto), payout (fiat). Back: refund, chargeback. In again: a returned refund, a won
 * dispute.
 */
export type EffectKind =
  | 'charge'
  | 'deposit'
  | 'delivery'
  | 'payout'
  | 'refund'
  | 'chargeback'
  | 'refund_returned'
  | 'dispute_won';

/** One refund in the sandbox's ledger: its outcome is decided on creation, and becomes visible later. */
export interface SandboxRefund {
  readonly refundId: string;
  readonly amount: string;
  readonly currency: string;
  /** When the money is returned, or when the refund has failed. */
  readonly endsAt: Instant;
  readonly failure: RefundFailure | null;
  /** When the buyer's bank sent it back; null or absent if it did not. */
  readonly returnedAt?: Instant | null;
}

/** A chargeback of all or a part of a payment. */
export interface SandboxDispute {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly at: Instant;
  /** It takes all that is left: the end of the operation books it. */
  readonly isRest: boolean;
  readonly wonAt: Instant | null;
}

/** The part of an operation that determines its movements of money. */
export interface Books {
  readonly plan: OperationPlan | null;
  readonly effects: readonly MoneyEffect[];
  readonly refunds?: readonly SandboxRefund[];
  readonly disputes?: readonly SandboxDispute[];
}

/** All movements up to `now`, refunds and disputes last. For audits that check that nothing was done twice. */
export function effectsOf(operation: Books, now: Instant): readonly MoneyEffect[] {
  return [...operation.effects, ...refundEffects(operation), ...disputeEffects(operation)].filter(
    (effect) => effect.at <= now,
  );
}

/** The refunds of an operation; absent in rows of an older version. */
export function refundsOf({ refunds }: Pick<Books, 'refunds'>): readonly SandboxRefund[] {
  return refunds ?? [];
}

/** The disputes of an operation; absent in rows of an older version. */
export function disputesOf({ disputes }: Pick<Books, 'disputes'>): readonly SandboxDispute[] {
  return disputes ?? [];
}

/** The total of completed and pending refunds and of chargebacks in part that were not won, as decimal text. */
export function totalGoneBack(operation: Pick<Books, 'refunds' | 'disputes'>): string {
  return [
    ...refundsOf(operation).filter(({ failure }) => failure === null),
    ...disputesOf(operation).filter(({ isRest, wonAt }) => !isRest && wonAt === null),
  ].reduce((total, { amount }) => decimal.add(total, amount), '0');
}

function refundEffects(operation: Books): readonly MoneyEffect[] {
  return refundsOf(operation)
    .filter(({ failure }) => failure === null)
    .flatMap(({ amount, currency, endsAt, returnedAt = null }): MoneyEffect[] => [
      { kind: 'refund', amount, currency, at: endsAt },
      ...(returnedAt === null ? [] : [{ kind: 'refund_returned' as const, amount, currency, at: returnedAt }]),
    ]);
}

function disputeEffects(operation: Books): readonly MoneyEffect[] {
  return disputesOf(operation).flatMap(({ amount, currency, at, isRest, wonAt }): MoneyEffect[] => [
    ...(isRest ? [] : [{ kind: 'chargeback' as const, amount, currency, at }]),
    ...(wonAt === null ? [] : [{ kind: 'dispute_won' as const, amount, currency, at: wonAt }]),
  ]);
}

/**
 * Recomputes the movements after a change of the end. Past movements stay, future ones are scheduled again, and
 * each kind of movement occurs at most once.
 */
export function bookEffects(
  books: Books,
  course: { readonly since: Instant; readonly ending: Ending | null },
  now: Instant,
): readonly MoneyEffect[] {
  const happened = books.effects.filter((effect) => effect.at <= now);
  const { plan } = books;
  if (plan === null) return happened;
  const arranged = [
    effect(incoming(plan.flow), plan.price.source, course.since),
    ...endEffects(plan, course.ending, totalGoneBack(books)),
  ];
  return [...happened, ...arranged.filter(({ kind }) => !happened.some((known) => isSameMovement(known.kind, kind)))];
}

/** Money that has gone back as a whole, by a refund or a chargeback, does not go back by the other. */
function isSameMovement(known: EffectKind, kind: EffectKind): boolean {
  const isBack = (one: EffectKind) => one === 'refund' || one === 'chargeback';
  return known === kind || (isBack(known) && isBack(kind));
}

function endEffects({ flow, price }: OperationPlan, ending: Ending | null, goneBack: string): readonly MoneyEffect[] {
  if (ending === null) return [];
  if (ending.failure !== null) return [effect('refund', price.source, ending.at)];
  const { returned } = ending;
  const outgoing = effect(flow === 'off_ramp' ? 'payout' : 'delivery', price.destination, ending.at);
  if (returned === null) return [outgoing];
  // Amounts that have already gone back are not returned again.
  const left = decimal.subtract(price.source.amount ?? '0', goneBack);
  if (!decimal.isPositive(left)) return [outgoing];
  const rest: Side = goneBack === '0' ? price.source : { ...price.source, amount: left };
  const back = effect(returned.kind === 'refunded' ? 'refund' : 'chargeback', rest, returned.at);
  // Returned before it was passed on: nothing goes out.
  return returned.at <= ending.at ? [back] : [outgoing, back];
}

function incoming(flow: Flow): EffectKind {
  return flow === 'on_ramp' ? 'charge' : 'deposit';
}

function effect(kind: EffectKind, side: Side, at: Instant): MoneyEffect {
  if (side.amount === null || side.currency === null)
    throw new Error('A movement of money has an amount and a currency.');
  return { kind, amount: side.amount, currency: side.currency, at };
}
