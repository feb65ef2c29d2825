import type { IdempotencyRef } from '../../ports/change.js';

/** Keys this process is working on: what makes the 409 for an overlapping request certain. */
export class InFlight {
  private readonly keys = new Set<string>();

  /** False when the key is being worked on already. */
  enter(ref: IdempotencyRef): boolean {
    const name = nameOf(ref);
    if (this.keys.has(name)) return false;
    this.keys.add(name);
    return true;
  }

  leave(ref: IdempotencyRef): void {
    this.keys.delete(nameOf(ref));
  }
}

function nameOf(ref: IdempotencyRef): string {
  return `${ref.scope} ${ref.keyHash}`;
}
