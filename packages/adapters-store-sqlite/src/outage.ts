import { isOutage, Outage } from '@gateramp/core/ports';

/** Codes of a file that is in use, missing, read-only or corrupt, or of a full disk: requests are answered with 503 rather than 500. */
const AWAY = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|PROTOCOL|PERM|NOLFS)/;

/** Converts errors of an unavailable file to an `Outage`; returns others unchanged. */
export function asOutage(error: unknown): unknown {
  if (isOutage(error) || !AWAY.test(codeOf(error))) return error;
  return new Outage(`The database file cannot be used now (${codeOf(error)}).`, error);
}

/** Another connection is writing. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : '';
}
