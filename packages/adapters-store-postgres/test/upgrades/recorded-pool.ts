import type pg from 'pg';
import type { Statement } from './release.js';

/** A pool with one connection that records its statements and their answers. */
export function recorded(pool: pg.Pool, schema: string, statements: Statement[]): pg.Pool {
  if (pool.options.max !== 1) throw new Error('Statements have an order on one connection only.');
  return spied(pool, (statement, answer) => {
    statements.push({
      text: statement.text.replaceAll(`"${schema}".`, 'gate.'),
      values: (statement.values ?? []).map(asWritten),
      answer,
    });
  });
}

/** Values in a form that JSON can store: columns are sent as bytes. */
function asWritten(value: unknown): unknown {
  return Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value;
}

export function asSent(value: unknown): unknown {
  return value !== null && typeof value === 'object' && 'base64' in value
    ? Buffer.from(String(value.base64), 'base64')
    : value;
}

type Heard = (statement: pg.QueryConfig, answer: Statement['answer']) => void;

function spied<Target extends pg.Pool | pg.PoolClient>(target: Target, heard: Heard): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (name === 'connect' && 'totalCount' in target) return async () => spied(await target.connect(), heard);
      const found: unknown = Reflect.get(target, name, target);
      if (name !== 'query') return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      return async (statement: pg.QueryConfig) => {
        try {
          const result = await target.query(statement);
          heard(statement, { rows: statement.values === undefined ? null : result.rows });
          return result;
        } catch (error) {
          heard(statement, { error: errorCode(error) });
          throw error;
        }
      };
    },
  });
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
