import type { Mode, Scope } from '@gateramp/core';
import { FLOWS, type Intent, type PageRequest, type Transaction, TRANSACTION_STATUSES } from '@gateramp/core/domain';
import {
  type Finders,
  type Listers,
  OF_HASH_MAX,
  type StoreCounts,
  type TransactionFilter,
  type TransactionTotal,
} from '@gateramp/core/ports';
import { transactionIdTime } from '@gateramp/core/runtime';
import type { Statement } from '../database.js';
import { indexOfKinds, boundsOf, PageQuery } from './page-query.js';
import { type Reading, sumOfCounts } from './reading.js';
import { parseFirst, parseOne, parseRow, type RowText } from './row-by-key.js';
import type { Span } from './spans.js';

interface PurchaseReads {
  readonly findIntent: Finders['intent'];
  readonly findIntentByOperation: Finders['intent_by_operation'];
  readonly findTransaction: Finders['transaction'];
  readonly listTransactions: Listers['transaction'];
  readonly ofHash: Listers['transaction_of_hash'];
  readonly totals: NonNullable<StoreCounts['totals']>;
}

/** Intents and transactions. */
export function purchaseReads(reading: Reading, schema: string): PurchaseReads {
  const findByOperation = `select row::text as row from "${schema}".intents where mode = $1 and provider = $2 and operation_id = $3 limit 1`;
  // Few have the same hash: all are found by its index (the offset forces the planner to do so).
  const ofHash = `select t.row::text as row from (
      select * from "${schema}".transactions where ${reading.isDistributed ? 'partner_id = $1 and ' : ''}lower((row ->> 'txHash') collate "C") = $3
        and (row ->> 'txHash') is not null offset 0) t
    where t.partner_id = $1 and t.mode = $2 order by t.id desc limit ${OF_HASH_MAX}`;
  return {
    async findIntent(scope: Scope, id: string): Promise<Intent | null> {
      return parseOne<Intent>(await reading.rowByKey('intents', { scope, id }));
    },
    async findIntentByOperation(mode: Mode, provider: string, operationId: string): Promise<Intent | null> {
      return parseFirst<Intent>(await reading.find<RowText>(findByOperation, [mode, provider, operationId]));
    },
    async findTransaction(scope: Scope, refid: string): Promise<Transaction | null> {
      return parseOne<Transaction>(await reading.rowByKey('transactions', { scope, id: refid }));
    },
    async listTransactions(
      scope: Scope,
      filter: TransactionFilter,
      page: PageRequest,
    ): Promise<readonly Transaction[]> {
      const listing = { scope, filter, page, reading };
      const { status, flow, sessionId, userReference } = filter;
      const isOfKinds = sessionId === null && (status !== null || flow !== null || userReference !== null);
      const pageIn = isOfKinds ? pageOfKinds : pageByKey;
      const found =
        sessionId === null
          ? reading.listBySpans<RowText>('transactions', {
              limit: page.limit + 1,
              statementIn: (span) => pageIn(listing, span, schema),
              bounds: async () => boundsOf('transactions', filter, page),
            })
          : reading.list<RowText>(pageByKey(listing, null, schema));
      return (await found).map((row) => parseRow<Transaction>(row));
    },
    async totals(scope, within, limit) {
      const filter = { status: null, flow: null, sessionId: null, userReference: null, ...within };
      const page = { start: { kind: 'newest' }, limit: limit - 1 } as const;
      return reading.listBySpans<TransactionTotal>('transactions', {
        limit,
        statementIn: (span) => totalsOf(pageByKey({ scope, filter, page, reading }, span, schema)),
        bounds: async () => boundsOf('transactions', filter, page),
        sumOf: sumOfCounts,
      });
    },
    async ofHash({ partnerId, mode }: Scope, txHash: string): Promise<readonly Transaction[]> {
      const found = await reading.find<RowText>(ofHash, [partnerId, mode, txHash.toLowerCase()]);
      return found.map((row) => parseRow<Transaction>(row));
    },
  };
}

interface TransactionListing {
  readonly scope: Scope;
  readonly filter: TransactionFilter;
  readonly page: PageRequest;
  readonly reading: Reading;
}

/** One page of the transactions of one session, or of the whole list. */
function pageByKey({ scope, filter, page, reading }: TransactionListing, span: Span | null, schema: string): Statement {
  const { status, flow, sessionId, userReference } = filter;
  const query = new PageQuery('t', scope, page, 'key', span)
    .within(filter, transactionIdTime)
    .where('t.user_reference = ?', userReference)
    .where('t.status = ?', status)
    .where('t.flow = ?', flow);
  const transactions = `"${schema}".transactions`;
  // Those of a session are few and have an index: all are found by it (the offset forces the planner to do so), and
  // the rest of the filter selects from them.
  const from =
    sessionId === null
      ? transactions
      : `(select * from ${transactions} where ${reading.isDistributed ? 'partner_id = $1 and ' : ''}session_id = ${query.value(sessionId)} offset 0)`;
  return { text: `select t.row::text as row from ${from} t ${query.clauses}`, values: query.values };
}

function totalsOf({ text, values }: Statement): Statement {
  const sumOf = (side: string): string =>
    `trim_scale(coalesce(sum((row -> '${side}' ->> 'amount')::numeric), 0))::text`;
  return {
    text: `select row ->> 'status' as status, row -> 'source' ->> 'currency' as "sourceCurrency",
        row -> 'destination' ->> 'currency' as "destinationCurrency", count(*)::int as count,
        ${sumOf('source')} as paid, ${sumOf('destination')} as delivered
      from (select page.row::json as row from (${text}) page) known group by 1, 2, 3`,
    values,
  };
}

/** A merge of one page of each matching kind. */
function pageOfKinds(
  { scope, filter, page, reading }: TransactionListing,
  span: Span | null,
  schema: string,
): Statement {
  const { status, flow, userReference } = filter;
  const query = new PageQuery('t', scope, page, indexOfKinds(reading), span)
    .within(filter, transactionIdTime)
    .where('t.user_reference = ?', userReference);
  const [statuses, flows] = [
    query.value(status === null ? TRANSACTION_STATUSES : [status]),
    query.value(flow === null ? FLOWS : [flow]),
  ];
  const rows = `select t.id, t.row from "${schema}".transactions t ${query.clausesWhere('t.status = g.status', 't.flow = g.flow')}`;
  const text = `select p.row::text as row
    from (select status, flow from unnest(${statuses}::text[]) as status, unnest(${flows}::text[]) as flow) g
    cross join lateral (${rows}) p ${query.ending('p.id')}`;
  return { text, values: query.values };
}
