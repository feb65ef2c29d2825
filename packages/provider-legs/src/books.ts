import { decimal, type Instant } from '@gateramp/core/domain';
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
