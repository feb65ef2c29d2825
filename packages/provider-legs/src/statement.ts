import { DAY, decimal, type Instant } from '@gateramp/core/domain';
import type { LedgerPosition } from './books.js';
import { ACCOUNTS } from './ledger.js';
import type { FiatLeg } from './ports/legs.js';
import type { LedgerEntry, LegDocument, LegsStore, Posting } from './ports/legs-store.js';
import type { StatementLine } from './ports/statement.js';

const KIND = 'fiat_statement';
const LINES_PER_PAGE = 100;
/** The rest of a long statement is booked in the next rounds. */
const PAGES_PER_ROUND = 20;

/** How far the statement is booked, and the sum of its lines by currency. */
interface Booked {
  readonly after: string | null;
  readonly balances: Readonly<Record<string, string>>;
  /** Payments of booked lines that could not be read yet. Absent in rows of earlier versions. */
  readonly unread?: readonly Seen[];
}

/** A payment that was refunded or disputed, and the line that shows it. */
interface Seen {
  readonly authorizationId: string;
  readonly eventId: string;
}

type Review = (seen: Seen) => Promise<void>;

/**
 * Books the new lines of the processor's statement: its fees, payouts to the house's bank, and movements that no operation has made. Each
 * line is booked once, in the commit that moves the cursor. `review` reads payments that were refunded or disputed; one that cannot be read
 * is kept for the next round, which it does not hold up, and its error is thrown at the end.
 */
export async function bookStatement(store: LegsStore, fiat: FiatLeg, review: Review): Promise<void> {
  if (fiat.statement === undefined) return;
  const errors: unknown[] = [];
  const readAll = (all: readonly Seen[]) => unreadOf(all, review, errors);
  await readAgain(store, fiat.name, readAll);
  for (let page = 0; page < PAGES_PER_ROUND; page += 1) if (!(await bookPage(store, fiat, readAll))) break;
  if (errors.length > 0) throw errors[0];
}

/** Reads the payments, and returns those that could not be read. */
async function unreadOf(all: readonly Seen[], review: Review, errors: unknown[]): Promise<readonly Seen[]> {
  const unread: Seen[] = [];
  for (const seen of all)
    try {
      await review(seen);
    } catch (error) {
      errors.push(error);
      unread.push(seen);
    }
  return unread;
}

type ReadAll = (all: readonly Seen[]) => Promise<readonly Seen[]>;

/** Reads the payments that an earlier round could not read. */
async function readAgain(store: LegsStore, name: string, readAll: ReadAll): Promise<void> {
  const stored = await store.load(KIND, name);
  const before = stored === null ? [] : (bookedOf(stored).unread ?? []);
  if (stored === null || before.length === 0) return;
  const unread = await readAll(before);
  if (unread.length === before.length) return;
  const body = JSON.parse(JSON.stringify({ ...bookedOf(stored), unread })) as LegDocument['body'];
  // If another process was faster, the payments are read once more, which changes nothing.
  await store.commit({ documents: [{ ...stored, version: stored.version + 1, body }], entries: [] });
}

/** What the booked statement says about the balances of the account. */
export async function statementPositions(
  store: LegsStore,
  { name }: Pick<FiatLeg, 'name'>,
): Promise<readonly LedgerPosition[]> {
  const document = await store.load(KIND, name);
  if (document === null) return [];
  return Object.entries(bookedOf(document).balances).map(([currency, amount]) => ({
    account: ACCOUNTS.fiat,
    currency,
    parts: [{ name: `statement of ${name}`, amount }],
  }));
}

/** False when the end of the statement is reached, or another process has booked the page. */
async function bookPage(store: LegsStore, fiat: FiatLeg, readAll: ReadAll): Promise<boolean> {
  const id = fiat.name;
  const stored = await store.load(KIND, id);
  const { after, balances, unread = [] } = stored === null ? NOTHING : bookedOf(stored);
  const since = after === null ? await beginning(store) : null;
  const lines = (await fiat.statement?.({ after, since, limit: LINES_PER_PAGE })) ?? [];
  const last = lines.at(-1);
  if (last === undefined) return false;
  const seen = lines.flatMap(({ id: line, authorizationId }) =>
    authorizationId === null ? [] : [{ authorizationId, eventId: `statement:${line}` }],
  );
  const next: Booked = {
    after: last.id,
    balances: lines.reduce(withLine, balances),
    unread: [...unread, ...(await readAll(seen))],
  };
  const document: LegDocument = {
    kind: KIND,
    id,
    version: (stored?.version ?? 0) + 1,
    status: 'active',
    dueAt: null,
    body: JSON.parse(JSON.stringify(next)) as LegDocument['body'],
  };
  const entries = lines.flatMap((line) => entryOf(id, line));
  return (await store.commit({ documents: [document], entries })) === 'committed';
}

/** A day before the first entry of the ledger, or before now: no payment of the legs is older. */
async function beginning(store: LegsStore): Promise<Instant> {
  const [first] = await store.listEntries({ from: null, to: null, after: null, limit: 1 });
  return Math.min(first?.at ?? Infinity, Date.now()) - DAY;
}

const NOTHING: Booked = { after: null, balances: {} };

function bookedOf({ body }: LegDocument): Booked {
  // Written above.
  return body as unknown as Booked;
}

function withLine(balances: Booked['balances'], { currency, amount, fee }: StatementLine): Booked['balances'] {
  const net = decimal.subtract(amount, fee);
  return { ...balances, [currency]: decimal.add(balances[currency] ?? '0', net) };
}

/** The entry of a line; none where an operation has booked all of it. */
function entryOf(statement: string, line: StatementLine): readonly LedgerEntry[] {
  const { id, at, currency, amount, fee, kind, original } = line;
  const postings = [
    ...(kind === 'operation' ? converted(line, original) : movement(ACCOUNTS.fiat, AGAINST[kind], amount, currency)),
    ...movement(ACCOUNTS.costs, ACCOUNTS.fiat, fee, currency),
  ];
  return postings.length === 0
    ? []
    : [{ id: `statement:${statement}:${id}`, operationId: `statement:${statement}`, at, postings }];
}

const AGAINST = { fee: ACCOUNTS.costs, payout: ACCOUNTS.funding, outside: ACCOUNTS.outside } as const;

/** A payment that the processor credits in another currency than the buyer paid in, which is the one that its operation has booked. */
function converted({ amount, currency }: StatementLine, original: StatementLine['original']): readonly Posting[] {
  if (original === null || original.currency === currency) return [];
  return [
    ...movement(ACCOUNTS.exchange, ACCOUNTS.fiat, original.amount, original.currency),
    ...movement(ACCOUNTS.fiat, ACCOUNTS.exchange, amount, currency),
  ];
}

function movement(to: string, from: string, amount: string, currency: string): readonly Posting[] {
  if (decimal.equals(amount, '0')) return [];
  return [
    { account: to, currency, amount },
    { account: from, currency, amount: decimal.subtract('0', amount) },
  ];
}
