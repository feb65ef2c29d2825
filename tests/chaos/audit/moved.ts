import { unitsOf } from './decimal.js';
import type { DatabaseFacts, Money } from './database-facts.js';

const incoming = ['charge', 'deposit'];
const outgoing = ['delivery', 'payout'];

/** The money of an operation that moved, according to the provider; planned effects have not moved. */
export interface Moved {
  readonly in: readonly Money[];
  readonly out: readonly Money[];
  readonly back: readonly Money[];
}

export function movedBy({ operations, clock }: DatabaseFacts): (operation: string) => Moved {
  const now = clock[0]?.now ?? NaN;
  const books = new Map(operations.map((one) => [one.operation, one.books.effects.filter(({ at }) => at <= now)]));
  return (operation) => {
    const effects = books.get(operation) ?? [];
    return {
      in: effects.filter(({ kind }) => incoming.includes(kind)),
      out: effects.filter(({ kind }) => outgoing.includes(kind)),
      back: effects.filter(({ kind }) => !incoming.includes(kind) && !outgoing.includes(kind)),
    };
  };
}

/** Both amounts moved once, and nothing was returned. */
export function isCarriedOut(moved: Moved, money: { readonly in: Money; readonly out: Money }): boolean {
  return isOnce(moved.in, money.in) && isOnce(moved.out, money.out) && moved.back.length === 0;
}

/** Nothing was sent, and everything received was returned. */
export function isUndone(moved: Moved): boolean {
  const [came] = moved.in;
  if (moved.out.length > 0 || moved.in.length > 1) return false;
  return came === undefined ? moved.back.length === 0 : isOnce(moved.back, came);
}

/** Still running: each part moved at most once. */
export function isUnderWay(moved: Moved): boolean {
  return moved.in.length <= 1 && moved.out.length <= 1 && moved.back.length === 0;
}

function isOnce([first, ...more]: readonly Money[], expected: Money): boolean {
  if (first === undefined || more.length > 0 || first.currency !== expected.currency) return false;
  return unitsOf(first.amount) === unitsOf(expected.amount);
}
