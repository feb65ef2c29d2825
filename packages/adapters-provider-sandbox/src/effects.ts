import type { Flow, Instant, Side } from '@gateramp/core/domain';
import type { Ending } from './ending.js';
import type { OperationPlan } from './plan.js';

/** Money that moved, or will at `at` unless the operation's end changes first. */
export interface MoneyEffect {
  readonly kind: EffectKind;
  readonly amount: string;
  readonly currency: string;
  readonly at: Instant;
}

/** In: charge (fiat), deposit (crypto). Out: delivery (crypto), payout (fiat). Back: refund, chargeback. */
export type EffectKind = 'charge' | 'deposit' | 'delivery' | 'payout' | 'refund' | 'chargeback';

/** What of an operation its movements are worked out from. */
export interface Books {
  readonly plan: OperationPlan | null;
  readonly effects: readonly MoneyEffect[];
}

/** What has happened by `now`: for an auditor who wants to see that nothing was done twice. */
export function effectsOf(operation: Books, now: Instant): readonly MoneyEffect[] {
  return operation.effects.filter((effect) => effect.at <= now);
}

/**
 * The books after a change of the end. What has happened stays; what was only arranged is arranged anew;
 * no kind of movement ever stands in them twice.
 */
export function bookEffects(
  books: Books,
  course: { readonly since: Instant; readonly ending: Ending | null },
  now: Instant,
): readonly MoneyEffect[] {
  const happened = effectsOf(books, now);
  const { plan } = books;
  if (plan === null) return happened;
  const arranged = [effect(incoming(plan.flow), plan.price.source, course.since), ...endEffects(plan, course.ending)];
  return [...happened, ...arranged.filter(({ kind }) => !happened.some((known) => known.kind === kind))];
}

function endEffects({ flow, price }: OperationPlan, ending: Ending | null): readonly MoneyEffect[] {
  if (ending === null) return [];
  if (ending.failure !== null) return [effect('refund', price.source, ending.at)];
  const { returned } = ending;
  const outgoing = effect(flow === 'off_ramp' ? 'payout' : 'delivery', price.destination, ending.at);
  if (returned === null) return [outgoing];
  const back = effect(returned.kind === 'refunded' ? 'refund' : 'chargeback', price.source, returned.at);
  // Sent back before it was ever passed on: nothing goes out.
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
