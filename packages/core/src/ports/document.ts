import type { Instant } from '../domain/instant.js';
import type { JsonText } from '../domain/json.js';
import type { Scope } from '../domain/mode.js';

/**
 * A row whose inside no store needs to know: a quote, a pay-in, a pool's trade, a partner's branding. It is found by its id, listed by its
 * group, and written whole. A new noun of the contract is a new `noun` here, and no change to any store.
 */
export interface Document extends Scope {
  /** What it is, in the words of the contract: `quote`, `pay_in`, `pool_trade`. Ids are unique within a noun, partner and mode. */
  readonly noun: string;
  readonly id: string;
  readonly version: number;
  /** What it is listed under (a session, a pool); null when only the whole noun is ever listed. Never changes. */
  readonly group: string | null;
  /** Lists go by id, newest first: ids of a listed noun rise with this. */
  readonly createdAt: Instant;
  /** Still there at that very instant; afterwards it may be reaped. Null: kept for good. */
  readonly keepUntil: Instant | null;
  /** Kept byte for byte. */
  readonly body: JsonText;
}

/** Null filters nothing. Bounds are inclusive below and exclusive above. */
export interface DocumentFilter {
  readonly group: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}
