import type { Scope } from '@gateramp/core';
import { FLOWS, TRANSACTION_STATUSES, type PageRequest } from '@gateramp/core/domain';
import type { TransactionFilter } from '@gateramp/core/ports';
import { PageQuery, transactionIdTime } from './page-query.js';
import type { Statement } from '../statement.js';

export interface TransactionListing {
  readonly scope: Scope;
  readonly filter: TransactionFilter;
  readonly page: PageRequest;
}

/** One page of transactions: those of one session, the whole list, or put together from pages of each kind that fits. */
export function transactionPage({ scope, filter, page }: TransactionListing, schema: string): Statement {
  const { status, flow, sessionId, userReference } = filter;
  const pageBy = (along: 'key' | 'kinds'): PageQuery =>
    new PageQuery('t', scope, page, along)
      .within(filter, transactionIdTime)
      .where('t.user_reference = ?', userReference);
  if (sessionId !== null) {
    const query = pageBy('key').where('t.status = ?', status).where('t.flow = ?', flow);
    // They are few and an index has them: all are found by it (the offset holds the planner to that) and the rest of
    // the filter picks from them.
    const ofSession = `(select * from "${schema}".transactions where session_id = ${query.value(sessionId)} offset 0)`;
    return { text: `select t.row::text as row from ${ofSession} t ${query.clauses}`, values: query.values };
  }
  if (status === null && flow === null && userReference === null) {
    const query = pageBy('key');
    return { text: `select t.row::text as row from "${schema}".transactions t ${query.clauses}`, values: query.values };
  }
  const query = pageBy('kinds');
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
