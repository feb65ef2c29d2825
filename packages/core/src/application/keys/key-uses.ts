import { MINUTE, type Instant } from '../../domain/instant.js';
import type { Telemetry } from '../../ports/edge.js';
import type { PartnerStore } from '../../ports/partners.js';

/** To the minute is enough to see whether a key may be revoked, and costs one write where there were thousands of requests. */
export const KEY_USE_EVERY = MINUTE;

/** Partners have a handful of keys each; this bounds what is remembered of them. */
export const KEYS_REMEMBERED_MAX = 10_000;

/**
 * When keys were last used, for operators; where a host has keys of its own, nothing. The store is written to at most
 * once a minute a key by each process, and no request waits for it or fails by it: what could not be written is written
 * at the key's next use a minute later.
 */
export class KeyUses {
  /** The use of each key that was written last, the longest ago first. */
  private readonly noted = new Map<string, Instant>();

  constructor(
    private readonly store: Pick<PartnerStore, 'noteKeyUse'> | null,
    private readonly telemetry: Telemetry,
  ) {}

  /** Called for every request with a key that was accepted: one look-up, nearly always. */
  note(hash: string, at: Instant): void {
    const { store } = this;
    if (store === null) return;
    const last = this.noted.get(hash);
    if (last !== undefined && at - last < KEY_USE_EVERY) return;
    this.remember(hash, at);
    void this.write(store, hash, at);
  }

  private remember(hash: string, at: Instant): void {
    // Deleted and set again rather than updated, so that the first is always the one noted longest ago.
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
