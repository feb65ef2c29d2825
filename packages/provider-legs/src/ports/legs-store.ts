import type { Instant } from '@gateramp/core/domain';

/** Plain JSON: what a document's body is made of. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/**
 * Where legs keep what must outlive a process: operations, quotes, nonces, signed transactions, deposits, and the ledger.
 * Laws: a commit applies as a whole or not at all; a document is replaced only by who read its present version; a ledger
 * entry is written once; `claimDue` gives one document to one claimer until the lease has passed.
 */
export interface LegsStore {
  load(kind: string, id: string): Promise<LegDocument | null>;
  /** `stale`: a document is not at the version expected, or an entry exists already. Nothing was written. */
  commit(change: LegsChange): Promise<'committed' | 'stale'>;
  /**
   * The documents of a kind that are due, oldest first. Each is written with the next version and is due again at `now +
   * leaseMs`, so a claimer that died is followed by another, and a late one finds its version stale.
   */
  claimDue(claim: DueClaim): Promise<readonly LegDocument[]>;
  /** Deletes documents of a kind that are due, at most `limit`, and says how many. For what only waits for its end, such as quotes. */
  removeDue(due: Omit<DueClaim, 'leaseMs'>): Promise<number>;
  /** When the next document of the kind is due; null when none is. */
  nextDue(kind: string): Promise<Instant | null>;
  /** Documents of a kind by id, after `after`, of one status where one is given. */
  list(query: DocumentQuery): Promise<readonly LegDocument[]>;
  /** The entries of an operation, oldest first; those of one moment by id. */
  entries(operationId: string): Promise<readonly LedgerEntry[]>;
  /** Sum of all postings, by account and currency, zero balances left out; of one operation where one is given. */
  balances(operationId: string | null): Promise<readonly Balance[]>;
}

/** One document, with what the store looks at next to the body. */
export interface LegDocument {
  readonly kind: string;
  /** Unique within its kind. */
  readonly id: string;
  /** 1 at first, and one more with each write. */
  readonly version: number;
  readonly status: string;
  /** When it wants to be worked on; null for never. */
  readonly dueAt: Instant | null;
  readonly body: JsonValue;
}

/** What one decision writes. */
export interface LegsChange {
  /** Each with the version it replaces plus one; version 1 is new. */
  readonly documents: readonly LegDocument[];
  readonly entries: readonly LedgerEntry[];
}

/** One movement of money, double entry: per currency its postings add up to zero. */
export interface LedgerEntry {
  /** Names the movement, so that it is booked once. */
  readonly id: string;
  readonly operationId: string;
  readonly at: Instant;
  readonly postings: readonly Posting[];
}

/** A signed amount on one account. `currency` of a token is `ASSET@network`. */
export type Posting = Balance;

/** What an account holds of one currency, as decimal text. */
export interface Balance {
  readonly account: string;
  readonly currency: string;
  readonly amount: string;
}

/** Which documents to claim. */
export interface DueClaim {
  readonly kind: string;
  readonly now: Instant;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Which documents to list. */
export interface DocumentQuery {
  readonly kind: string;
  readonly status?: string;
  /** Exclusive; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}
