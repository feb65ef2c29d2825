import pgQuery from 'libpg-query';
import type pg from 'pg';

/** A statement in the body of a function of the schema. */
export interface BodyStatement {
  readonly text: string;
  /** The function's parameters and variables: values, as far as a statement is concerned. */
  readonly variables: ReadonlySet<string>;
}

interface FunctionRow {
  readonly name: string;
  readonly definition: string;
  readonly language: string;
  readonly body: string;
  readonly parameters: readonly string[] | null;
}

/** The statements of each function of the schema. */
export async function functionBodies(
  pool: pg.Pool,
  schema: string,
): Promise<ReadonlyMap<string, readonly BodyStatement[]>> {
  const { rows } = await pool.query<FunctionRow>(
    `select proname as name, pg_get_functiondef(p.oid) as definition, lanname as language, prosrc as body, proargnames as parameters
     from pg_proc p join pg_language l on l.oid = prolang where pronamespace = to_regnamespace($1) and prokind = 'f'`,
    [`"${schema}"`],
  );
  const bodies = new Map<string, readonly BodyStatement[]>();
  for (const { name, definition, language, body, parameters } of rows) {
    const variables = new Set(parameters ?? []);
    if (language !== 'plpgsql') {
      bodies.set(name, [{ text: body, variables }]);
      continue;
    }
    const found: string[] = [];
    collect(await pgQuery.parsePlPgSQL(definition), found, variables);
    bodies.set(
      name,
      found.map((text) => ({ text, variables })),
    );
  }
  return bodies;
}

/** Expressions are what a `select` would compute. An assignment names its target first. */
function collect(node: unknown, found: string[], variables: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [kind, inner] of Object.entries(node)) {
    if (kind === 'refname' && typeof inner === 'string') variables.add(inner);
    if (kind === 'query' && typeof inner === 'string') found.push(asStatement(inner));
    else collect(inner, found, variables);
  }
}

function asStatement(text: string): string {
  const expression = text.replace(/^\s*[\w.]+\s*:=/, '');
  return /^\s*(select|insert|update|delete|with|lock|perform|values|\()\b/i.test(expression)
    ? expression
    : `select ${expression}`;
}
