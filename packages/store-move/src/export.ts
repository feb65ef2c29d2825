import type { Partner } from '@gateramp/core';
import type {
  AuditEntry,
  Decimal,
  EndpointHealth,
  GateEvent,
  Instant,
  Intent,
  Scope,
  Session,
  Task,
  Transaction,
  WebhookEndpoint,
} from '@gateramp/core/domain';
import type {
  ConsumerName,
  DeliveryRecord,
  Document,
  IdempotencyRef,
  KeyRecord,
  KeyRow,
  KycVaultEntry,
} from '@gateramp/core/ports';

/**
 * All rows of an installation, by kind, in the form in which they move between stores. Includes data that `commit` cannot express (recorded
 * attempts, when a task was done) and data outside the store (KYC packages, the sandbox ledger). Sealed data stays sealed. A store rebuilds
 * what it derives from these rows (indexes, queues).
 */
export interface ExportRows {
  partner: Partner;
  key: KeyRecord;
  endpoint: WebhookEndpoint;
  endpoint_health: Scope & EndpointHealth;
  session: Session;
  intent: Intent;
  transaction: Transaction;
  document: Document;
  event: GateEvent;
  /** Includes its lease, if it has one. */
  delivery: DeliveryRecord;
  /** `doneAt`: the `now` of the change that completed it; null if it is not done. */
  task: { readonly task: Task; readonly doneAt: Instant | null };
  reply: KeyRow & Pick<IdempotencyRef, 'scope' | 'keyHash'> & Pick<Scope, 'mode'>;
  mark: { readonly mark: string };
  counter: { readonly name: string; readonly value: Decimal };
  /** `version`: the version of the registry at the last change of this entry. */
  consumer: ConsumerName & { readonly isRemoved: boolean; readonly version: number };
  /** Sealed together with its session id. */
  kyc_package: Omit<KycVaultEntry, 'body'> & { readonly sealed: string };
  /** An operation of the sandbox provider, as JSON; `endedAt` is when it ended. */
  sandbox_operation: {
    readonly operationId: string;
    readonly version: number;
    readonly endedAt: Instant | null;
    readonly operation: string;
  };
  /** A document of provider legs; the body is JSON. */
  leg_document: {
    readonly kind: string;
    readonly id: string;
    readonly version: number;
    readonly status: string;
    readonly dueAt: Instant | null;
    readonly body: string;
  };
  /** A ledger entry of provider legs; the postings are JSON. */
  leg_entry: { readonly id: string; readonly operationId: string; readonly at: Instant; readonly postings: string };
  audit_entry: AuditEntry;
  setting: { readonly name: string; readonly value: string };
}

/** The kinds in the order in which they are copied. The settings are last: without the pepper, no process serves the rows copied so far. */
export const EXPORT_KINDS = [
  'partner',
  'key',
  'endpoint',
  'endpoint_health',
  'session',
  'intent',
  'transaction',
  'document',
  'event',
  'delivery',
  'task',
  'reply',
  'mark',
  'counter',
  'consumer',
  'kyc_package',
  'sandbox_operation',
  'leg_document',
  'leg_entry',
  'audit_entry',
  'setting',
] as const satisfies readonly (keyof ExportRows)[];

/** One of `EXPORT_KINDS`. */
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** The position of a reader: the key of the last row it has read. */
export type ExportCursor = readonly (string | number)[];

/** A page of rows of a kind, in the order of their key. */
export interface ExportPage<Row> {
  readonly rows: readonly Row[];
  /** The start of the next page; null after the last. */
  readonly next: ExportCursor | null;
}

/** A store that is read completely while nothing writes to it. */
export interface ExportSource {
  /** The number of rows of a kind. */
  count(kind: ExportKind): number;
  /** At most `limit` rows after `after`, or from the first if it is null. */
  read<Kind extends ExportKind>(kind: Kind, after: ExportCursor | null, limit: number): ExportPage<ExportRows[Kind]>;
}

/**
 * The setting in which an installation records its own move. It is never copied: the source records its
 * destination, and the destination its progress.
 */
export const MOVE_SETTING = 'move';
