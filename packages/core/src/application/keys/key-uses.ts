import { MINUTE, type Instant } from '../../domain/instant.js';
import type { Telemetry } from '../../ports/edge.js';
import type { PartnerStore } from '../../ports/partners.js';

/** Precise enough to decide whether a key may be revoked, and needs one write instead of thousands. */
export const KEY_USE_EVERY = MINUTE;

/** Bounds memory; partners have a handful of keys each. */
export const KEYS_REMEMBERED_MAX = 10_000;

/**
 * Records when keys were last used, for operators; does nothing if the host manages its own keys. Each process writes at most once a minute
 * per key. No request waits for the write or fails because of it; a failed write is made up for by the key's next use a minute later.
 */
export class KeyUses {
  /** The last recorded use of each key, oldest first. */
  private readonly noted = new Map<string, Instant>();

  constructor(
    private readonly store: Pick<PartnerStore, 'noteKeyUse'> | null,
    private readonly telemetry: Telemetry,
  ) {}

  /** Called for every request with an accepted key; usually a single look-up. */
  note(hash: string, at: Instant): void {
    const { store } = this;
    if (store === null) return;
    const last = this.noted.get(hash);
    if (last !== undefined && at - last < KEY_USE_EVERY) return;
    this.remember(hash, at);
    void this.write(store, hash, at);
  }

  private remember(hash: string, at: Instant): void {
    // Deleted and re-inserted, so that the first entry is always the oldest.
    this.noted.delete(hash);
    if (this.noted.size >= KEYS_REMEMBERED_MAX) this.forgetFirst();
    this.noted.set(hash, at);
  }

  private forgetFirst(): void {
    for (const first of this.noted.keys()) {
      this.noted.delete(first);
      return;
    }
  }

  private async write(store: Pick<PartnerStore, 'noteKeyUse'>, hash: string, at: Instant): Promise<void> {
    try {
      await store.noteKeyUse(hash, at);
    } catch (error) {
      this.telemetry.failure(error, { place: 'key use' });
    }
  }
}
