import type { IdempotencyRef } from '../../ports/change.js';

/** Keys this process is working on: what makes the 409 for an overlapping request certain. The hash covers the scope. */
export class InFlight {
  private readonly keys = new Set<string>();

  /** False when the key is being worked on already. */
  enter(ref: IdempotencyRef): boolean {
    if (this.keys.has(ref.keyHash)) return false;
    this.keys.add(ref.keyHash);
    return true;
  }

  leave(ref: IdempotencyRef): void {
    this.keys.delete(ref.keyHash);
  }
}
