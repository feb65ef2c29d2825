import type { Instant } from '@gateramp/core';
import type { PageQuery } from './page-query.js';

/** The id as the index of open sessions has it. */
export const ID_BY_SPAN = 's.id collate "POSIX"';

/** The span of what is held. */
const ENDLESS = 1_000_000_000_000;
const NEVER = 2 ** 48;

/**
 * A page of the sessions that are open at `now`. Those of one span (`0007-open-sessions.ts`) are walked along their index, and no further than
 * to the id that was made one span ago: what is older is over, whether or not anybody has expired it, and is not read.
 */
export function openPage(open: PageQuery, schema: string, now: Instant): string {
  const at = open.value(now);
  const rows = `${select(schema)} ${open.clausesWhere(
    ...inSpan(schema),
    `${ID_BY_SPAN} >= "${schema}".id_at(${at} - 1000 * g.span)`,
    `(s.is_held or s.expires_at >= ${at})`,
  )}`;
  return `${spans(open, schema)} select p.row::text as row from spans g cross join lateral (${rows}) p ${open.ending('p.id')}`;
}

/**
 * A page of those that are expired: by somebody, along the index of closed sessions, and by now, on the other side of the same id. Both
 * queries hold the same values.
 */
export function expiredPage(closed: PageQuery, open: PageQuery, schema: string, now: Instant): string {
  const at = open.value(now);
  const gone = `${select(schema)} ${closed.clausesWhere(`s.status = 'expired'`, `s.status <> 'open'`)}`;
  const overdue = `${select(schema)} ${open.clausesWhere(
    ...inSpan(schema),
    `${ID_BY_SPAN} < "${schema}".id_at(case g.span when ${ENDLESS} then ${NEVER} else ${at} - 1000 * (g.span - 1) end)`,
    `not s.is_held`,
    `s.expires_at < ${at}`,
  )}`;
  return `${spans(open, schema)} select p.row::text as row from (
    (${gone}) union all (select o.* from spans g cross join lateral (${overdue}) o ${open.ending('o.id')})) p ${open.ending('p.id')}`;
}

/** Every span that open sessions of the scope have, each found by one step along the index. */
function spans(open: PageQuery, schema: string): string {
  const next = (after: string): string =>
    `select ${spanOf(schema)} as span from "${schema}".sessions s where ${open.ofScope} and s.status = 'open' ${after} order by 1 limit 1`;
  return `with recursive spans(span) as (
    (${next('')}) union all
    select n.span from spans g cross join lateral (${next(`and ${spanOf(schema)} > g.span`)}) n)`;
}

function select(schema: string): string {
  return `select s.id, s.row from "${schema}".sessions s`;
}

function inSpan(schema: string): readonly string[] {
  return [`s.status = 'open'`, `${spanOf(schema)} = g.span`];
}

function spanOf(schema: string): string {
  return `"${schema}".open_span(s.id, s.expires_at, s.is_held)`;
}
