import type { Instant } from '@gateramp/core/domain';
import type { AuditWrite, Contracted } from '@gateramp/core/ports';

/** A value of plain JSON, the content of a document's body. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/**
 * Stores everything of the legs that must outlive a process: operations, quotes, nonces, signed transactions, deposits, and the ledger.
 * Laws: a commit applies as a whole or not at all; a document is replaced only by a writer that read its current version; a ledger
 * entry is written once; `claimDue` gives one document to one claimer until the lease has passed.
 */
export interface LegsStore extends Contracted {
  /** The store's own time, which is the same for all processes. Absent in a store without a clock, such as a file. */
  now?(): Promise<Instant>;
  load(kind: string, id: string): Promise<LegDocument | null>;
  /**
   * `stale`: a document is not at the expected version, an entry exists already, or the audit trail ends elsewhere than expected. Nothing
   * was written.
   */
  commit(change: LegsChange): Promise<'committed' | 'stale'>;
  /**
   * Claims the documents of a kind that are due, the longest due first. Each is written with the next version and is due again after
   * `leaseMs`, so another claimer follows one that died, and the commit of a late one is stale.
   */
  claimDue(claim: DueClaim): Promise<readonly LegDocument[]>;
  /** Deletes at most `limit` documents of a kind that are due, and returns their number. For documents that only expire, such as quotes. */
  removeDue(due: Pick<DueClaim, 'kind' | 'now' | 'limit'>): Promise<number>;
  /** Documents of a kind with a due time, the first due first; only those of one partner where it is given. */
  listDue(query: DueQuery): Promise<readonly LegDocument[]>;
  /** Documents of a kind, ordered by id, after the id `after` and before `before`; only those with `status` where it is given. */
  list(query: DocumentQuery): Promise<readonly LegDocument[]>;
  /** The entries of an operation, oldest first; entries with the same time are ordered by id. */
  entries(operationId: string): Promise<readonly LedgerEntry[]>;
  /** The entries of a period, oldest first; entries with the same time are ordered by id. */
  listEntries(query: EntriesQuery): Promise<readonly LedgerEntry[]>;
  /**
   * The sum of all postings by account and currency, without zero balances; of one operation where an id is given, and of the entries
   * before a time where one is given.
   */
  balances(operationId: string | null, before?: Instant): Promise<readonly Balance[]>;
}

/** One document: its body, and the fields by which the store finds it. */
export interface LegDocument {
  readonly kind: string;
  /** Unique within its kind. */
  readonly id: string;
  /** 1 for a new document, incremented by each write. */
  readonly version: number;
  readonly status: string;
  /** When `claimDue` and `removeDue` may take it; null for never. */
  readonly dueAt: Instant | null;
  /** A document whose body has a text `partnerId` belongs to this partner. */
  readonly body: JsonValue;
}

/** The documents and entries of one commit. */
export interface LegsChange {
  /** Each with one more than the version it replaces; version 1 creates the document. */
  readonly documents: readonly LegDocument[];
  readonly entries: readonly LedgerEntry[];
  /** Entries of the installation's audit trail, if the change is administrative. */
  readonly audit?: AuditWrite;
}

/** What an administrative change replaces, of which the audit trail records digests; null if there was nothing. */
export interface AuditedRows {
  readonly before: object | null;
  readonly after: object;
}

/**
 * Commits an administrative change together with its entry of the audit trail: calls `commit` with the entry, and
 * repeats that while other entries come first. `gate.admin.audit.recordWith` adds who made the change:
 * `(rows, commit) => gate.admin.audit.recordWith({ action: 'wallet.pause', …, ...rows }, commit)`.
 */
export type AuditedCommit = (
  rows: AuditedRows,
  commit: (audit: AuditWrite) => Promise<'committed' | 'stale'>,
) => Promise<'committed' | 'stale'>;

/** One movement of money in double entry: its postings add up to zero in each currency. */
export interface LedgerEntry {
  /** Identifies the movement, so that it is booked once. */
  readonly id: string;
  readonly operationId: string;
  readonly at: Instant;
  readonly postings: readonly Posting[];
}

/** A signed amount on one account. The `currency` of a token is `ASSET@network`. */
export type Posting = Balance;

/** The amount of one currency on an account, as decimal text. */
export interface Balance {
  readonly account: string;
  readonly currency: string;
  readonly amount: string;
}

/** The status of a document that a worker has claimed, for processes that step the clock of its sandbox. */
export const CLAIMED = 'claimed';

/** Which documents to claim. */
export interface DueClaim {
  readonly kind: string;
  readonly now: Instant;
  /**
   * The time of the sandboxes that have their own, by partner id: documents of these partners are due, and leased, by this time instead of
   * `now`. Absent: none has.
   */
  readonly sandboxes?: ReadonlyMap<string, Instant> | undefined;
  /**
   * Leaves out documents of sandboxes that another process steps (`SandboxHolds` of the gate's store), and gives those that are claimed the
   * status `CLAIMED` until they are written again. Stores of one process ignore it.
   */
  readonly skipsStepped?: boolean | undefined;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Which documents with a due time to list. */
export interface DueQuery {
  readonly kind: string;
  /** Absent: all documents, also those without a partner. */
  readonly partnerId?: string | undefined;
  readonly limit: number;
}

/** Which entries to list. */
export interface EntriesQuery {
  /** Inclusive; null for the beginning. */
  readonly from: Instant | null;
  /** Exclusive; null for no end. */
  readonly to: Instant | null;
  /** The last entry of the previous page; null for the first page. */
  readonly after: Pick<LedgerEntry, 'at' | 'id'> | null;
  readonly limit: number;
}

/** Which documents to list. */
export interface DocumentQuery {
  readonly kind: string;
  readonly status?: string;
  /** Exclusive; null for the first page. */
  readonly after: string | null;
  /** Exclusive; no bound by default. */
  readonly before?: string;
  readonly limit: number;
}
