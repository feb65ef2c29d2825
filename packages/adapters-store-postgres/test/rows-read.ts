import pg from 'pg';

/** Runs a statement under `explain` and returns the plan. */
type Explain = (statement: pg.QueryConfig) => Promise<readonly { readonly Plan: PlanNode }[]>;

/** The number of rows that Postgres reads, in tables and indexes, for the single statement with values that `work` sends. */
export type RowsRead = (work: (counted: pg.Pool) => Promise<unknown>) => Promise<number>;

/** Each statement is planned for its values, with the current statistics. */
export function rowsReadAfresh(pool: pg.Pool): RowsRead {
  return rowsRead(pool, ({ text, values = [] }) => explained(pool, { text, values }));
}

/**
 * How many scans search each table in the statements that `work` sends with values. Their plans are for any values. `pool` has one
 * connection.
 */
export async function scansOfTables(
  pool: pg.Pool,
  work: (counted: pg.Pool) => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const sent = withoutSettling(await withValues(pool, work));
  const explain = explainingKeptPlans(pool);
  const scans = new Map<string, number>();
  for (const statement of sent)
    for (const { Plan } of await explain(statement))
      for (const table of searchedIn(Plan)) scans.set(table, (scans.get(table) ?? 0) + 1);
  return scans;
}

/** The conditions by which indexes are searched for the last statement with values that `work` sends. Its plan is for any values. */
export async function indexConditions(
  pool: pg.Pool,
  work: (counted: pg.Pool) => Promise<unknown>,
): Promise<readonly string[]> {
  const [statement] = (await withValues(pool, work)).slice(-1);
  if (statement === undefined) throw new Error('No statement was sent.');
  const plans = await explainingKeptPlans(pool)(statement);
  return plans.flatMap(({ Plan }) => conditionsIn(Plan));
}

function conditionsIn(node: PlanNode): readonly string[] {
  const own = node['Index Cond'] === undefined ? [] : [node['Index Cond']];
  return [...own, ...(node.Plans ?? []).flatMap(conditionsIn)];
}

/**
 * The number of blocks that Postgres reads for the single statement with values that `work` sends. Its plan is for any values. Entries of
 * an index that a scan skips are not counted as rows, but their blocks are. `pool` has one connection.
 */
export async function blocksRead(pool: pg.Pool, work: (counted: pg.Pool) => Promise<unknown>): Promise<number> {
  const plans = await explainingKeptPlans(pool)(await onlyOne(pool, work));
  return plans.reduce((sum, { Plan }) => sum + Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'], 0);
}

async function onlyOne(pool: pg.Pool, work: (counted: pg.Pool) => Promise<unknown>): Promise<pg.QueryConfig> {
  const sent = await withValues(pool, work);
  // A list of events reads its page again when it has settled up to where it may show.
  const [statement, another] = isSettling(sent) ? withoutSettling(sent).slice(1) : sent;
  if (statement === undefined || another !== undefined) throw new Error('One statement is counted at a time.');
  return statement;
}

/** The statements with values that `work` sends. */
async function withValues(
  pool: pg.Pool,
  work: (counted: pg.Pool) => Promise<unknown>,
): Promise<readonly pg.QueryConfig[]> {
  const sent: pg.QueryConfig[] = [];
  await work(spied(pool, (statement) => void ((statement.values ?? []).length > 0 && sent.push(statement))));
  return sent;
}

const SETTLING = /show_events|running_commits|shown_events/;
const isSettling = (sent: readonly pg.QueryConfig[]): boolean => sent.some(({ text }) => SETTLING.test(text));
const withoutSettling = (sent: readonly pg.QueryConfig[]): readonly pg.QueryConfig[] =>
  sent.filter(({ text }) => !SETTLING.test(text));

function searchedIn(node: PlanNode): readonly string[] {
  const own = node['Relation Name'] !== undefined && node['Actual Loops'] > 0 ? [node['Relation Name']] : [];
  return [...own, ...(node.Plans ?? []).flatMap(searchedIn)];
}

/** Each statement keeps the plan of its first execution for all values. `pool` has one connection, which holds these plans. */
export function rowsReadByKeptPlans(pool: pg.Pool): RowsRead {
  return rowsRead(pool, explainingKeptPlans(pool));
}

function explainingKeptPlans(pool: pg.Pool): Explain {
  const names = new Map<string, string>();
  return async ({ text, values = [] }) => {
    const name = names.get(text) ?? `kept_${(kept += 1)}`;
    if (!names.has(text)) await pool.query(`prepare ${name} as ${text}`);
    names.set(text, name);
    await pool.query('set plan_cache_mode = force_generic_plan');
    const plan = await explained(pool, { text: `execute ${name}(${values.map(literal).join(', ')})` });
    await pool.query('reset plan_cache_mode');
    return plan;
  };
}

let kept = 0;

function rowsRead(pool: pg.Pool, explain: Explain): RowsRead {
  return async (work) => {
    const statement = await onlyOne(pool, work);
    const scans = (await explain(statement)).flatMap(({ Plan }) => scansIn(Plan));
    return scans.reduce((sum, { rows }) => sum + rows, 0);
  };
}

/** The plan of a statement that is run with its values. */
export async function explained(
  pool: pg.Pool | pg.PoolClient,
  { text, values = [] }: pg.QueryConfig,
): ReturnType<Explain> {
  const { rows } = await pool.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>({
    text: `explain (analyze, buffers, format json) ${text}`,
    values,
  });
  return rows[0]?.['QUERY PLAN'] ?? [];
}

/** The value as an SQL literal. Pages use text, numbers and arrays of text. */
function literal(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join(',')}}`);
  throw new TypeError(`A page is not asked for with ${typeof value}.`);
}

/** The pool, or one of its clients, which tells of each statement that is sent. */
export function spied<Target extends pg.Pool | pg.PoolClient>(
  target: Target,
  note: (statement: pg.QueryConfig) => void,
): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (name === 'connect' && 'totalCount' in target) return async () => spied(await target.connect(), note);
      const found: unknown = Reflect.get(target, name, target);
      if (name !== 'query') return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      return (statement: pg.QueryConfig) => {
        note(statement);
        return target.query(statement);
      };
    },
  });
}

/** A table as a plan reads it, or one of its indexes. */
interface Scan {
  readonly table: string;
  readonly node: string;
  /** Those that a filter removes included. */
  readonly rows: number;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

export function scansIn(node: PlanNode): readonly Scan[] {
  const { 'Node Type': type, 'Relation Name': table } = node;
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = table === undefined ? [] : [{ table, node: type, rows: Math.round(each * node['Actual Loops']) }];
  return [...own, ...(node.Plans ?? []).flatMap(scansIn)];
}
