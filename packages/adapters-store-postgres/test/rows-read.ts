import type pg from 'pg';

/** How many rows Postgres looks at, in tables and indexes, for the one statement with values that `work` sends. */
export async function rowsRead(pool: pg.Pool, work: (counted: pg.Pool) => Promise<unknown>): Promise<number> {
  const sent: pg.QueryConfig[] = [];
  await work(spied(pool, sent));
  const [statement, another] = sent;
  if (statement === undefined || another !== undefined) throw new Error('One statement is counted at a time.');
  const { rows } = await pool.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>({
    text: `explain (analyze, format json) ${statement.text}`,
    values: statement.values ?? [],
  });
  return rows[0]?.['QUERY PLAN'].reduce((sum, { Plan }) => sum + scanned(Plan), 0) ?? 0;
}

/** The pool, or a client of it, telling of every statement that has values. */
function spied<Target extends pg.Pool | pg.PoolClient>(target: Target, sent: pg.QueryConfig[]): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (name === 'connect' && 'totalCount' in target) return async () => spied(await target.connect(), sent);
      if (name !== 'query') return Reflect.get(target, name, target) as unknown;
      return (statement: pg.QueryConfig) => {
        if ((statement.values ?? []).length > 0) sent.push(statement);
        return target.query(statement);
      };
    },
  });
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

function scanned(node: PlanNode): number {
  const isScan = node['Relation Name'] !== undefined;
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = isScan ? Math.round(each * node['Actual Loops']) : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + scanned(child), own);
}
