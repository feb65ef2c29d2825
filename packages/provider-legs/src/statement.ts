import { decimal } from '@gateramp/core/domain';
import type { LedgerPosition } from './books.js';
import { ACCOUNTS } from './ledger.js';
import type { FiatLeg, StatementLine } from './ports/legs.js';
import type { LedgerEntry, LegDocument, LegsStore, Posting } from './ports/legs-store.js';

const KIND = 'fiat_statement';
const LINES_PER_PAGE = 100;
/** The rest of a long statement is booked in the next rounds. */
const PAGES_PER_ROUND = 20;

/** How far the statement is booked, and the sum of its lines by currency. */
interface Booked {
  readonly after: string | null;
  readonly balances: Readonly<Record<string, string>>;
}

type Review = (seen: { readonly authorizationId: string; readonly eventId: string }) => Promise<void>;

/**
 * Books the new lines of the processor's statement: its fees, payouts to the house's bank, and movements that no operation has made. Each
 * line is booked once, in the commit that moves the cursor. Before it, `review` looks at payments that were refunded or disputed.
 */
export async function bookStatement(store: LegsStore, fiat: FiatLeg, review: Review): Promise<void> {
  for (let page = 0; page < PAGES_PER_ROUND; page += 1) if (!(await bookPage(store, fiat, review))) return;
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
async function bookPage(store: LegsStore, fiat: FiatLeg, review: Review): Promise<boolean> {
  const id = fiat.name;
  const stored = await store.load(KIND, id);
  const { after, balances } = stored === null ? NOTHING : bookedOf(stored);
  const lines = (await fiat.statement?.({ after, limit: LINES_PER_PAGE })) ?? [];
  const last = lines.at(-1);
  if (last === undefined) return false;
  for (const { id: line, authorizationId } of lines)
    if (authorizationId !== null) await review({ authorizationId, eventId: `statement:${line}` });
  const next: Booked = { after: last.id, balances: lines.reduce(withLine, balances) };
  const document: LegDocument = {
    kind: KIND,
    id,
    version: (stored?.version ?? 0) + 1,
    status: 'active',
    dueAt: null,
    body: { ...next },
  };
  const entries = lines.flatMap((line) => entryOf(id, line));
  const done = await store.commit({ documents: [document], entries });
  return done === 'committed';
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
