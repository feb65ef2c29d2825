/**
 * Thrown by an adapter that cannot serve at the moment: its database is down, too slow or read-only. The request may or may not have taken
 * effect. The gate responds with 503 and the caller retries; any other thrown error is a bug and becomes a 500.
 */
export class Outage extends Error {
  readonly outage = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Outage';
  }
}

/** Checks the marker only, so that errors of any class, or of another copy of this package, can carry it. */
export function isOutage(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'outage' in error && error.outage === true;
}
