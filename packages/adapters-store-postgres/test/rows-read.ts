import type pg from 'pg';

/** How many rows Postgres looks at, in tables and indexes, for the one statement that `work` sends. */
export async function rowsRead(pool: pg.Pool, work: (counted: pg.Pool) => Promise<unknown>): Promise<number> {
  const sent: pg.QueryConfig[] = [];
  const spied = new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target);
      return (statement: pg.QueryConfig) => {
        sent.push(statement);
        return target.query(statement);
      };
    },
  });
  await work(spied);
  const [statement, another] = sent;
  if (statement === undefined || another !== undefined) throw new Error('One statement is counted at a time.');
  const { rows } = await pool.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>({
    text: `explain (analyze, format json) ${statement.text}`,
    values: statement.values ?? [],
  });
  return rows[0]?.['QUERY PLAN'].reduce((sum, { Plan }) => sum + scanned(Plan), 0) ?? 0;
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
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = isScan ? Math.round(each * node['Actual Loops']) : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + scanned(child), own);
}
