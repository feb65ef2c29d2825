import { InstallationError } from '@gateramp/core/ports';

export { InstallationError };

/** The error of a failed statement, as from `asOutage`; explains missing tables, columns and functions. */
export function explained(error: unknown): unknown {
  const code = codeOf(error);
  if (code === null || !MISSING.test(code) || !(error instanceof Error)) return asOutage(error);
  return new InstallationError(
    `The Gateramp tables are missing or from an earlier version (${error.message}). Run "gate migrate" or "await migrate(pool)" first, ` +
      'with the schema of the store.',
    { cause: error },
  );
}

/** Codes of a missing schema, table, column or function. */
const MISSING = /^(3F000|42P01|42703|42883)$/;

/** The store is unavailable, too slow, or read-only. The operation may or may not have taken effect: the caller retries. */
export class StoreOutage extends Error {
  readonly outage = true;

  constructor(cause: unknown) {
    super(`Postgres cannot serve this now: ${messageOf(cause)}`, { cause });
    this.name = 'StoreOutage';
  }
}

/**
 * Converts the error of a failed statement: errors that Postgres reports are returned unchanged, all others become an
 * outage, which the gate answers with 503 instead of 500. For statements that a host or adapter runs in the same database:
 * `catch (error) { throw asOutage(error); }`.
 */
export function asOutage(error: unknown): unknown {
  const code = codeOf(error);
  if (code === null) return new StoreOutage(error);
  return OUTAGE_CODES.test(code) ? new StoreOutage(error) : error;
}

export function isOutage(error: unknown): boolean {
  return error instanceof StoreOutage;
}

/** Whether another transaction interfered: the statement had no effect and may be repeated. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

/** Whether a row was locked for too long. Unlike any other outage, this one certainly had no effect. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof StoreOutage && codeOf(error.cause) === '55P03';
}

/** Whether Postgres serves reads alone at the moment: it is read-only, its disk is full, or a row is locked. */
export function isWriteRefused(error: unknown): boolean {
  return error instanceof StoreOutage && /^(25006|53100|55P03)$/.test(codeOf(error.cause) ?? '');
}

/** Whether Postgres gave up on a statement that took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof StoreOutage && codeOf(error.cause) === '57014';
}

/** The SQLSTATE; null if the error is not from a server. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('severity' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/**
 * Connections that are refused, lost or too many (08, 53), full memory or disks (53), failing disks (58), a server that is shutting down or
 * starting (57P), a read-only server, as after a failover (25006), and statements or locks that took too long (57014, 55P03, 25P04).
 */
const OUTAGE_CODES = /^(08...|25006|25P0[34]|53...|55P03|57014|57P0.|58...)$/;

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
