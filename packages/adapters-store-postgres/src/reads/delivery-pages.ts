import type { Scope } from '@gateramp/core';
import type { DeliveryStatus, PageRequest } from '@gateramp/core/domain';
import type { DeliveryFilter } from '@gateramp/core/ports';
import type { Statement } from '../statement.js';
import { objectIdTime, PageQuery } from './page-query.js';

export interface DeliveryListing {
  readonly scope: Scope;
  readonly filter: DeliveryFilter;
  readonly page: PageRequest;
}

/**
 * One page of deliveries, with the columns that are read: those of one event or session, those that wait for a first
 * attempt, or put together from a page of each kind and type of event there is. A page reads little more than itself,
 * whatever its filter leaves out.
 */
export function deliveryPage({ scope, filter, page }: DeliveryListing, schema: string): Statement {
  const { status, target, eventType, eventId, sessionId } = filter;
  const pageBy = (along: 'key' | 'kinds'): PageQuery =>
    new PageQuery('d', scope, page, along).within(filter, objectIdTime);
  const rows = (from: string, clauses: string): string =>
    `select d.id, d.event_id, d.event_type, d.created_at, d.row, d.attempts from ${from} d ${clauses}`;
  const deliveries = `"${schema}".deliveries`;
  if (eventId !== null || sessionId !== null) {
    const query = pageBy('key')
      .where('d.status = ?', status)
      .where(`coalesce(d.row ->> 'target', 'webhook') = ?`, target)
      .where('d.event_type = ?', eventType);
    // They are few and an index has them: all are found by it (the offsets hold the planner to that) and the rest of the
    // filter picks from them.
    const events = [
      ...(eventId === null ? [] : [`id = ${query.value(eventId)}`]),
      ...(sessionId === null ? [] : [`session_id = ${query.value(sessionId)}`]),
    ];
    const found = `(select d.* from (select id from "${schema}".events where ${events.join(' and ')} offset 0) e
      cross join lateral (select * from ${deliveries} where event_id = e.id offset 0) d)`;
    return { text: rows(found, query.clauses), values: query.values };
  }
  if (target !== 'webhook') {
    const query = pageBy('key')
      .where('d.status = ?', status)
      .where(`coalesce(d.row ->> 'target', 'webhook') = ?`, target)
      .where('d.event_type = ?', eventType);
    return { text: rows(deliveries, query.clauses), values: query.values };
  }
  if (status === 'pending') {
    const query = pageBy('key').where('d.status = ?', status).where('d.event_type = ?', eventType);
    // Deliveries that wait for a first attempt are in the queue; those delivered, which are most of their kind, are not. Its ids
    // come in the order of the page (the offset holds the planner to that), each is looked up, and a full page ends it.
    const waiting = `select w.id from "${schema}".delivery_queue w where w.lane = any ('{first,retry}')
      and w.endpoint = ${query.value(`${scope.partnerId}/${scope.mode}/webhook`)} ${query.andIdsOf('w')} order by w.id ${query.direction} offset 0`;
    const text = `select p.* from (${waiting}) w cross join lateral (${rows(deliveries, query.clausesWhere('d.id = w.id'))}) p
      ${query.ending('w.id')}`;
    return { text, values: query.values };
  }
  // The other kinds are of one status: said again, the planner would take the rows for so few that it might as well look through all.
  const query = pageBy('kinds').where('d.status = ?', status === 'delivered' ? status : null);
  const kinds = query.value(status === null ? [...new Set(Object.values(KINDS))] : [KINDS[status]]);
  const paged = rows(deliveries, query.clausesWhere('d.kind = k.kind', 'd.event_type = k.type'));
  if (eventType !== null) {
    const text = `select p.* from (select kind, ${query.value(eventType)}::text as type from unnest(${kinds}::text[]) as kind) k
      cross join lateral (${paged}) p ${query.ending('p.id')}`;
    return { text, values: query.values };
  }
  const nextType = (more: string): string =>
    `(select d.event_type from ${deliveries} d where ${query.ofScope} and d.kind = k.kind ${more} order by d.event_type limit 1)`;
  const text = `with recursive kinds(kind, type) as (
      select k.kind, ${nextType('')} from unnest(${kinds}::text[]) as k(kind) union all
      select k.kind, ${nextType('and d.event_type > k.type')} from kinds k where k.type is not null)
    select p.* from kinds k cross join lateral (${paged}) p ${query.ending('p.id')}`;
  return { text, values: query.values };
}

/** As the column `kind` has it: what is delivered at once is of one kind from its beginning, so that its row is rewritten in place. */
const KINDS: Readonly<Record<DeliveryStatus, 'quiet' | 'retrying' | 'dead_lettered'>> = {
  pending: 'quiet',
  delivered: 'quiet',
  retrying: 'retrying',
  dead_lettered: 'dead_lettered',
};
