/**
 * What an adapter throws while it cannot serve: its database is away, too slow, or takes no writes. What was asked may
 * have been done or not. The gate answers 503 and the caller asks again; anything else that is thrown counts as a bug,
 * and is answered with 500.
 */
export class Outage extends Error {
  readonly outage = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Outage';
  }
}

/** By the mark alone, so that an error of any class, or of another copy of this package, can carry it. */
export function isOutage(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'outage' in error && error.outage === true;
}
