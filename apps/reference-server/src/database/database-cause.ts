/** Why commits fail, in one word. `failing` is anything else; the log has the error. */
export type DatabaseCause = 'locked' | 'full' | 'read_only' | 'unreachable' | 'failing';

const CAUSES: readonly (readonly [DatabaseCause, RegExp])[] = [
  ['locked', /^(55P03|SQLITE_BUSY.*|SQLITE_LOCKED.*)$/],
  ['full', /^(53100|ENOSPC|SQLITE_FULL)$/],
  ['read_only', /^(25006|EROFS|SQLITE_READONLY.*)$/],
  ['unreachable', /^(08...|53300|57P0.|E[A-Z]+|SQLITE_CANTOPEN.*)$/],
];

/** By the code of Postgres, SQLite or the system; an error without a code comes from a connection that does not answer. */
export function databaseCause(error: unknown): DatabaseCause {
  const code = codeOf(error);
  if (code === null) return 'unreachable';
  return CAUSES.find(([, codes]) => codes.test(code))?.[0] ?? 'failing';
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Node reports one error for all addresses of a name.
  const [inner] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return codeOf(inner ?? error.cause);
}
