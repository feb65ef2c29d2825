import type { Instant } from '../domain/instant.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { Scope } from '../domain/mode.js';
import type { Partner, WebhookEndpoint } from '../domain/partner/partner.js';
import type { AuditWrite } from './change.js';
import type { Contracted } from './contract.js';

/** How long a process may serve stale data after a change by another one; a revoked key stops working everywhere within this time. */
export const PARTNERS_LAG_MAX_MS = 5_000;

/**
 * Partners, their keys and their webhook endpoints. A host with its own partners implements this port. Answers may be stale by up to
 * `PARTNERS_LAG_MAX_MS`.
 */
export interface Partners extends Contracted {
  /** By the SHA-256 hash of the key's text. */
  findKey(hash: string): Promise<KeyHolder | null>;
  findPartner(id: string): Promise<Partner | null>;
  findEndpoint(scope: Scope): Promise<WebhookEndpoint | null>;
}

/** A key and its partner. */
export interface KeyHolder {
  readonly key: ApiKey;
  readonly partner: Partner;
}

/** Writes what `Partners` reads. Saving replaces by id, hash, or partner and mode. */
export interface PartnerStore extends Partners {
  /**
   * Saves the row and its audit entries together. `stale`: the end of the audit trail is no longer the expected one; nothing was saved.
   */
  save<Noun extends keyof Saved>(noun: Noun, row: Saved[Noun], audit?: AuditWrite | null): Promise<'saved' | 'stale'>;
  /**
   * Records that the key was used at `at`. Only the latest use is stored, in whatever order uses are recorded; an unknown hash has no
   * effect.
   */
  noteKeyUse(hash: string, at: Instant): Promise<void>;
  /** The store's time, if it has a clock. Creation and revocation of keys are stamped with it instead of the operator's machine. */
  readTime?(): Promise<Instant>;
  /** All keys of one partner in both modes, oldest first; for operators, never used by requests. */
  listKeys(partnerId: string): Promise<readonly KeyRecord[]>;
}

/** Null reinstates the partner. */
export interface PartnerSuspension {
  readonly partnerId: string;
  readonly suspendedAt: Instant | null;
}

/** The types of rows that can be saved. */
export interface Saved {
  /** Saving preserves the stored suspension and ignores the given one, so that no process undoes it by saving what it read before. */
  partner: Partner;
  /** Suspends or reinstates a partner. Changes nothing if there is no such partner. */
  suspension: PartnerSuspension;
  /**
   * Saving preserves the recorded last use, so that a revoked key still shows it. It also preserves a revocation with its first instant, so
   * that saving a key as read earlier does not undo it.
   */
  key: ApiKey;
  endpoint: WebhookEndpoint;
}

/** A function per type of row. `save: (noun, row, audit = null) => savers[noun](row, audit)` implements the port. */
export type Savers = {
  readonly [Noun in keyof Saved]: (row: Saved[Noun], audit: AuditWrite | null) => Promise<'saved' | 'stale'>;
};

/** A key and its last use, to the minute, on the clock of its mode; null if never used. */
export interface KeyRecord {
  readonly key: ApiKey;
  readonly lastUsedAt: Instant | null;
}
