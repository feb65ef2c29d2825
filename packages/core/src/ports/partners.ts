import type { Instant } from '../domain/instant.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { Scope } from '../domain/mode.js';
import type { Partner, WebhookEndpoint } from '../domain/partner/partner.js';

/** How long a process may go on answering what another process has changed: a revoked key ends everywhere within this time. */
export const PARTNERS_LAG_MAX_MS = 5_000;

/**
 * Who may call, and where their webhooks go. A host with its own tenants implements this side. Answers may be older than what another
 * process saved by `PARTNERS_LAG_MAX_MS` at most.
 */
export interface Partners {
  /** By the SHA-256 of the key's text. */
  findKey(hash: string): Promise<KeyHolder | null>;
  findPartner(id: string): Promise<Partner | null>;
  findEndpoint(scope: Scope): Promise<WebhookEndpoint | null>;
}

/** A key, and whose it is. */
export interface KeyHolder {
  readonly key: ApiKey;
  readonly partner: Partner;
}

/** Administration of what `Partners` reads. Saving replaces by id, hash, or partner and mode. */
export interface PartnerStore extends Partners {
  save<Noun extends keyof Saved>(noun: Noun, row: Saved[Noun]): Promise<void>;
  /** The key was used at `at`. Only the latest use is kept, in whatever order they are noted; an unknown hash changes nothing. */
  noteKeyUse(hash: string, at: Instant): Promise<void>;
  /**
   * What time it is at the store, for stores that have a clock: when operators made and revoked keys is taken from it, not
   * by their machines.
   */
  readTime?(): Promise<Instant>;
  /** All keys of one partner, of both modes, the oldest first; for operators, no request asks for it. */
  listKeys(partnerId: string): Promise<readonly KeyRecord[]>;
}

/** What is saved. */
export interface Saved {
  partner: Partner;
  /**
   * Its last use stays as it was noted: a key that is revoked still shows when it was used. A revocation stays as well, at its first
   * instant: who saves a key as it was read before does not undo it.
   */
  key: ApiKey;
  endpoint: WebhookEndpoint;
}

/** A way to save each. `save: (noun, row) => savers[noun](row)` then is the port's. */
export type Savers = { readonly [Noun in keyof Saved]: (row: Saved[Noun]) => Promise<void> };

/** A key, and when it was last used: to the minute, by the clock of its mode; null for never. */
export interface KeyRecord {
  readonly key: ApiKey;
  readonly lastUsedAt: Instant | null;
}
