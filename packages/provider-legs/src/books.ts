import { decimal, type Instant, MODES } from '@gateramp/core/domain';
import { operationKind } from './operation.js';
import type { LedgerEntry, LegsStore } from './ports/legs-store.js';

/** The balance of one account in one currency, on the side where it is positive. */
export interface TrialBalanceRow {
  readonly account: string;
  readonly currency: string;
  /** Decimal text; `0` when the balance is a credit. */
  readonly debit: string;
  /** Decimal text; `0` when the balance is a debit. */
  readonly credit: string;
}

/** All balances, and their totals. In a correct ledger both totals of a currency are equal. */
export interface TrialBalance {
  readonly rows: readonly TrialBalanceRow[];
  readonly totals: readonly Omit<TrialBalanceRow, 'account'>[];
}

/** The balances of the ledger before a time; of all entries by default. */
export async function trialBalance(store: LegsStore, before?: Instant): Promise<TrialBalance> {
  const rows = (await store.balances(null, before)).map(({ account, currency, amount }): TrialBalanceRow => {
    const isCredit = amount.startsWith('-');
    return { account, currency, debit: isCredit ? '0' : amount, credit: isCredit ? amount.slice(1) : '0' };
  });
  const currencies = [...new Set(rows.map(({ currency }) => currency))].toSorted();
  const totals = currencies.map((currency) => {
    const of = (side: 'debit' | 'credit') =>
      rows.filter((row) => row.currency === currency).reduce((sum, row) => decimal.add(sum, row[side]), '0');
    return { currency, debit: decimal.normalise(of('debit')), credit: decimal.normalise(of('credit')) };
  });
  return { rows, totals };
}

const ENTRIES_PER_PAGE = 500;

/** The entries of a period, oldest first. `from` is inclusive and `to` exclusive. */
export async function* entriesOf(
  store: LegsStore,
  { from, to }: { readonly from: Instant | null; readonly to: Instant | null },
): AsyncGenerator<LedgerEntry> {
  for (let after: LedgerEntry | null = null; ;) {
    const page: readonly LedgerEntry[] = await store.listEntries({ from, to, after, limit: ENTRIES_PER_PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < ENTRIES_PER_PAGE) return;
    after = last;
  }
}

/** What a leg says about the balance of one account in one currency. */
export interface LedgerPosition {
  /** The account and currency in the ledger. */
  readonly account: string;
  readonly currency: string;
  /** Add up to the balance that the ledger should have. Decimal text, negative for what has left. */
  readonly parts: readonly { readonly name: string; readonly amount: string }[];
}

/** A position with the ledger's balance. */
export interface ReconciledPosition extends LedgerPosition {
  readonly ledger: string;
  /** The ledger less the sum of the parts; `0` when both agree. */
  readonly difference: string;
}

/** The ledger against the positions of the legs. */
export interface Reconciliation {
  readonly positions: readonly ReconciledPosition[];
  /** Operations that are running. Until they have booked the results of their calls, a position can differ by their amounts. */
  readonly running: readonly string[];
}

const RUNNING_MAX = 1_000;

/** Compares the ledger with what the legs say about the chain and the processor. */
export async function reconcileLedger(store: LegsStore, positions: readonly LedgerPosition[]): Promise<Reconciliation> {
  const [balances, ...pages] = await Promise.all([
    store.balances(null),
    ...MODES.map((mode) =>
      store.list({ kind: operationKind(mode), status: 'running', after: null, limit: RUNNING_MAX }),
    ),
  ]);
  const reconciled = positions.map((position): ReconciledPosition => {
    const { account, currency, parts } = position;
    const ledger = balances.find((one) => one.account === account && one.currency === currency)?.amount ?? '0';
    const expected = parts.reduce((sum, { amount }) => decimal.add(sum, amount), '0');
    return {
      ...position,
      ledger: decimal.normalise(ledger),
      difference: decimal.normalise(decimal.subtract(ledger, expected)),
    };
  });
  return { positions: reconciled, running: pages.flat().map(({ id }) => id) };
}
