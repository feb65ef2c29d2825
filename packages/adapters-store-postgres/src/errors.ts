/** What is in the database is not what this version can work with. Asking again does not help; the message says what does. */
export class InstallationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InstallationError';
  }
}

/** What a statement of ours failed with, as `asOutage` has it; where a table, column or function of ours is missing, it says so. */
export function explained(error: unknown): unknown {
  const code = codeOf(error);
  if (code === null || !MISSING.test(code) || !(error instanceof Error)) return asOutage(error);
  return new InstallationError(
    `The Gateramp tables are missing or from an earlier version (${error.message}). Run "gate migrate" or "await migrate(pool)" first, ` +
      'with the schema of the store.',
    { cause: error },
  );
}

/** A schema, table, column or function that does not exist. */
const MISSING = /^(3F000|42P01|42703|42883)$/;

/** The store is away, too slow, or takes no writes. What was asked may have been done or not: the caller asks again. */
export class StoreOutage extends Error {
  readonly outage = true;

  constructor(cause: unknown) {
    super(`Postgres cannot serve this now: ${messageOf(cause)}`, { cause });
    this.name = 'StoreOutage';
  }
}

/**
 * What a statement failed with: the error as it is if Postgres answered with it, otherwise an outage, which the gate
 * answers with 503 instead of 500. For own statements of a host or adapter in the same database:
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

/** Another transaction was in the way; the statement left no trace and may be run again. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

/** A row was locked for too long. Unlike any other outage it is known that nothing was done. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof StoreOutage && codeOf(error.cause) === '55P03';
}

/** SQLSTATE; null when no server said it. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('severity' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/**
 * Connections that are refused, lost or too many (08, 53), a disk or memory that is full (53) or fails (58), a server
 * that is shutting down or starting (57P), one that takes no writes, as after a failover (25006), and statements or
 * locks that took too long (57014, 55P03, 25P04).
 */
const OUTAGE_CODES = /^(08...|25006|25P0[34]|53...|55P03|57014|57P0.|58...)$/;

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
