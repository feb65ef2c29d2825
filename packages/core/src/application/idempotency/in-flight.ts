import type { IdempotencyRef } from '../../ports/change.js';

/** Keys that this process is working on, so that overlapping requests reliably get a 409. The hash covers the scope. */
export class InFlight {
  private readonly keys = new Set<string>();

  /** Returns false if the key is already in use. */
  enter(ref: IdempotencyRef): boolean {
    if (this.keys.has(ref.keyHash)) return false;
    this.keys.add(ref.keyHash);
    return true;
  }

  leave(ref: IdempotencyRef): void {
    this.keys.delete(ref.keyHash);
  }
}
