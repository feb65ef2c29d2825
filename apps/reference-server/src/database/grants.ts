import pg from 'pg';
import { SCHEMA } from './schema.js';

const ROWS = 'select, insert, update, delete';

/**
 * The statements that let a role run the server and `gate` on tables that another role migrates, also on those of later migrations of that
 * role. `docs/operating.md` lists them.
 */
export function grantsTo(role: string, database: string): readonly string[] {
  const [to, schema] = [pg.escapeIdentifier(role), SCHEMA];
  return [
    `grant connect on database ${pg.escapeIdentifier(database)} to ${to}`,
    `grant usage on schema ${schema} to ${to}`,
    `grant ${ROWS} on all tables in schema ${schema} to ${to}`,
    `grant usage on all sequences in schema ${schema} to ${to}`,
    `grant execute on all functions in schema ${schema} to ${to}`,
    `alter default privileges in schema ${schema} grant ${ROWS} on tables to ${to}`,
    `alter default privileges in schema ${schema} grant usage on sequences to ${to}`,
    `alter default privileges in schema ${schema} grant execute on functions to ${to}`,
  ];
}
