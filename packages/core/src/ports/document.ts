import type { Instant } from '../domain/instant.js';
import type { JsonText } from '../domain/json.js';
import type { Scope } from '../domain/mode.js';

/**
 * A row whose content is opaque to stores, such as a quote, pay-in, pool trade or branding. It is found by id, listed by group and written
 * as a whole. A new noun of the contract needs a new `noun` and no change to any store.
 */
export interface Document extends Scope {
  /** The noun in the words of the contract: `quote`, `pay_in`, `pool_trade`. Ids are unique per noun, partner and mode. */
  readonly noun: string;
  readonly id: string;
  readonly version: number;
  /** The group it is listed under, such as a session or pool; null if only the whole noun is listed. Never changes. */
  readonly group: string | null;
  /** Lists are ordered by id, newest first, so ids of a listed noun must increase with this. */
  readonly createdAt: Instant;
  /** Kept up to and including this instant; it may be deleted afterwards. Null: kept permanently. */
  readonly keepUntil: Instant | null;
  /** Stored byte for byte. */
  readonly body: JsonText;
}

/** Null does not filter. Lower bounds are inclusive, upper bounds exclusive. */
export interface DocumentFilter {
  readonly group: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}
