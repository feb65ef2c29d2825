import type { Partner } from '@gateramp/core';
import type {
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
 * Every row that an installation keeps, by kind, as it goes from one store to another: what `commit` has no words for
 * (recorded attempts, when a task was done) and what is kept outside the store (packages, the sandbox's books) with it.
 * What is sealed stays sealed. What a store derives from these (indexes, queues) it rebuilds.
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
  /** With its lease, if it has one. */
  delivery: DeliveryRecord;
  /** `doneAt`: the `now` of the change that finished it; null: none has. */
  task: { readonly task: Task; readonly doneAt: Instant | null };
  reply: KeyRow & Pick<IdempotencyRef, 'scope' | 'keyHash'> & Pick<Scope, 'mode'>;
  mark: { readonly mark: string };
  counter: { readonly name: string; readonly value: Decimal };
  /** `version`: that of the registry at the last change of this entry. */
  consumer: ConsumerName & { readonly isRemoved: boolean; readonly version: number };
  /** Sealed together with its session. */
  kyc_package: Omit<KycVaultEntry, 'body'> & { readonly sealed: string };
  /** Of the sandbox provider, as JSON; `endedAt` is when it came to rest. */
  sandbox_operation: {
    readonly operationId: string;
    readonly version: number;
    readonly endedAt: Instant | null;
    readonly operation: string;
  };
  /** Of provider legs; the body is JSON. */
  leg_document: {
    readonly kind: string;
    readonly id: string;
    readonly version: number;
    readonly status: string;
    readonly dueAt: Instant | null;
    readonly body: string;
  };
  /** One movement of money of provider legs; the postings are JSON. */
  leg_entry: { readonly id: string; readonly operationId: string; readonly at: Instant; readonly postings: string };
  setting: { readonly name: string; readonly value: string };
}

/**
 * The kinds in the order they are taken over. The settings are last: without the pepper among them no process serves
 * what has been copied so far.
 */
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
  'setting',
] as const satisfies readonly (keyof ExportRows)[];

/** One of `EXPORT_KINDS`, which are all there are. */
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** The position of a reader of a kind: the key of the last row it was given. */
export type ExportCursor = readonly (string | number)[];

/** Some rows of a kind, in the order of their key. */
export interface ExportPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; null: these were the last. */
  readonly next: ExportCursor | null;
}

/** A store that is read in full while nothing writes to it. */
export interface ExportSource {
  /** How many rows of a kind there are. */
  count(kind: ExportKind): number;
  /** At most `limit` rows behind `after`; null: from the first. */
  read<Kind extends ExportKind>(kind: Kind, after: ExportCursor | null, limit: number): ExportPage<ExportRows[Kind]>;
}

/**
 * The setting in which an installation notes its own move. It belongs to its place and is never copied: the one that
 * is left says where it went, the one that is being made how far it has come.
 */
export const MOVE_SETTING = 'move';
