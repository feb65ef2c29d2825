import type { Instant } from '@gateramp/core/domain';
import type { LegCall, LegDocument, LegFailure, LegsStore } from '@gateramp/provider-legs';

/**
 * The stored state of an authorization. It is written before the first request to Stripe, so that an authorization closed before it was
 * seen stays closed, and money can move only through a PaymentIntent whose id is stored.
 *
 *   creating → open → voided | failed       creating → voided | failed       (unseen) → voided
 */
export interface Payment {
  readonly state: 'creating' | 'open' | 'voided' | 'failed';
  /** Id of the PaymentIntent, from `open` on. */
  readonly intentId: string | null;
  /** Null unless `state` is `failed`. */
  readonly failure: LegFailure | null;
  /** The number of idempotency keys that were given up, because the response stored under them does not show the effect. */
  readonly spentKeys: number;
  /** In the time of the mode. */
  readonly beganAt: Instant;
  /** Whether a declined card fails the payment. If not, the buyer may enter another one in the component. */
  readonly endsOnDecline: boolean;
}

/** A refund, stored before it is requested. */
export interface Refund {
  readonly failure: LegFailure | null;
  readonly spentKeys: number;
}

/** An entry with its version in the store. */
export interface StoredEntry<Entry> {
  readonly id: string;
  readonly version: number;
  readonly entry: Entry;
}

/** Entries of one kind in the store of the legs. */
export class EntryStore<Entry extends object> {
  constructor(
    private readonly store: LegsStore,
    private readonly kind: string,
  ) {}

  async load(id: string): Promise<StoredEntry<Entry> | null> {
    const document = await this.store.load(this.kind, id);
    return document === null ? null : { id, version: document.version, entry: document.body as unknown as Entry };
  }

  /** Loads the entry with this id, or writes it if there is none (`isNew`). */
  async begin(id: string, entry: Entry): Promise<StoredEntry<Entry> & { readonly isNew: boolean }> {
    const first = { id, version: 0, entry };
    const written = await this.write(first, entry);
    if (written !== null) return { ...written, isNew: true };
    return { ...(await this.reload(id)), isNew: false };
  }

  /** Replaces the entry at the version that was read; null if another process has changed it. */
  async write({ id, version }: StoredEntry<Entry>, entry: Entry): Promise<StoredEntry<Entry> | null> {
    const next = version + 1;
    const body = JSON.parse(JSON.stringify(entry)) as LegDocument['body'];
    const document = { kind: this.kind, id, version: next, status: 'kept', dueAt: null, body };
    const done = await this.store.commit({ documents: [document], entries: [] });
    return done === 'stale' ? null : { id, version: next, entry };
  }

  async reload(id: string): Promise<StoredEntry<Entry>> {
    const kept = await this.load(id);
    if (kept === null) throw new Error('An entry of the Stripe leg has vanished from its store.');
    return kept;
  }
}

export function newPayment(beganAt: Instant): Payment {
  return { state: 'creating', intentId: null, failure: null, spentKeys: 0, beganAt, endsOnDecline: false };
}

/** The idempotency key of a call: its id, with a number after keys were given up. */
export function keyOf({ callId }: Pick<LegCall, 'callId'>, spentKeys: number): string {
  return spentKeys === 0 ? callId : `${callId}-retry${spentKeys}`;
}
