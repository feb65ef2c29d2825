import type { ApiKey, Mode, Partner, WebhookEndpoint } from '@gateramp/core';
import type {
  Decimal,
  Delivery,
  EndpointHealth,
  GateEvent,
  Intent,
  Session,
  Task,
  Transaction,
} from '@gateramp/core/domain';
import type { Document, KeyRow } from '@gateramp/core/ports';
import { recordOf } from './reads.js';
import { joined, shelf, type Shelf, type Shelves } from './shelf.js';
import { parsed } from './rows.js';

/** Every table that keeps something; `queue_heads` is made of the deliveries by triggers. A table that is added gets its kind in `Kept`. */
export const shelves: Shelves = {
  partner: jsonById<Partner>('partners'),
  key: shelf(
    'api_keys',
    ['hash'],
    ['hash', 'partner_id', 'row', 'last_used_at'],
    (stored: { hash: string; partner_id: string; row: string; last_used_at: number | null }) => ({
      key: parsed<ApiKey>(stored),
      lastUsedAt: stored.last_used_at,
    }),
  ),
  endpoint: shelf('endpoints', ['partner_id', 'mode'], ['partner_id', 'mode', 'row'], (stored: OfScope) =>
    parsed<WebhookEndpoint>(stored),
  ),
  endpoint_health: shelf(
    'endpoint_health',
    ['partner_id', 'mode'],
    ['partner_id', 'mode', 'row'],
    (stored: OfScope) => ({
      ...parsed<EndpointHealth>(stored),
      partnerId: stored.partner_id,
      mode: stored.mode,
    }),
  ),
  session: jsonById<Session>('sessions'),
  intent: jsonById<Intent>('intents'),
  transaction: jsonById<Transaction>('transactions'),
  document: shelf(
    'documents',
    ['partner_id', 'mode', 'noun', 'id'],
    ['partner_id', 'mode', 'noun', 'id', 'row'],
    (stored: OfScope & { noun: string; id: string }) => parsed<Document>(stored),
  ),
  event: shelf(
    'events',
    ['id'],
    ['id', 'partner_id', 'mode', 'session_id', 'sequence', 'type', 'created_at', 'body'],
    (stored: StoredEvent): GateEvent => ({
      id: stored.id,
      partnerId: stored.partner_id,
      mode: stored.mode,
      sessionId: stored.session_id,
      sequence: stored.sequence,
      type: stored.type,
      createdAt: stored.created_at,
      body: stored.body,
    }),
  ),
  delivery: joined(
    shelf(
      'deliveries',
      ['id'],
      ['id', 'row', 'endpoint', 'free_at', 'ended_at'],
      // The others follow from the row.
      (stored: { id: string; row: string; endpoint: string; free_at: number | null; ended_at: number | null }) =>
        parsed<Delivery>(stored),
    ),
    {
      reads: ['delivery_attempts.delivery_id', 'delivery_attempts.number', 'delivery_attempts.row'],
      wholeOf: recordOf,
    },
  ),
  task: shelf(
    'tasks',
    ['id'],
    ['id', 'row', 'free_at', 'done_at'],
    (stored: { id: string; row: string; free_at: number | null; done_at: number | null }) => ({
      task: parsed<Task>(stored),
      doneAt: stored.done_at,
    }),
  ),
  reply: shelf(
    'idempotency_keys',
    ['scope', 'key_hash'],
    ['scope', 'key_hash', 'mode', 'fingerprint', 'state', 'expires_at'],
    (stored: StoredKey) => ({
      scope: stored.scope,
      keyHash: stored.key_hash,
      mode: stored.mode,
      fingerprint: stored.fingerprint,
      state: parsed<KeyRow['state']>({ row: stored.state }),
      expiresAt: stored.expires_at,
    }),
  ),
  mark: shelf('once_marks', ['mark'], ['mark'], ({ mark }: { mark: string }) => ({ mark })),
  counter: shelf('counters', ['name'], ['name', 'value'], ({ name, value }: { name: string; value: Decimal }) => ({
    name,
    value,
  })),
  consumer: shelf(
    'consumers',
    ['name', 'type'],
    ['name', 'type', 'is_removed', 'version'],
    (stored: { name: string; type: string; is_removed: number; version: number }) => ({
      name: stored.name,
      type: stored.type,
      isRemoved: stored.is_removed === 1,
      version: stored.version,
    }),
  ),
  kyc_package: shelf(
    'kyc_packages',
    ['session_id'],
    ['session_id', 'partner_id', 'mode', 'forget_by', 'sealed'],
    (stored: { session_id: string; partner_id: string; mode: Mode; forget_by: number; sealed: string }) => ({
      sessionId: stored.session_id,
      partnerId: stored.partner_id,
      mode: stored.mode,
      forgetBy: stored.forget_by,
      sealed: stored.sealed,
    }),
  ),
  sandbox_operation: shelf(
    'sandbox_operations',
    ['operation_id'],
    ['operation_id', 'operation', 'ended_at'],
    (stored: { operation_id: string; operation: string; ended_at: number | null }) => ({
      operationId: stored.operation_id,
      // Written by the ledger from an operation.
      version: (JSON.parse(stored.operation) as { readonly version: number }).version,
      endedAt: stored.ended_at,
      operation: stored.operation,
    }),
  ),
  setting: shelf('settings', ['name'], ['name', 'value'], (stored: { name: string; value: string }) => ({
    name: stored.name,
    value: stored.value,
  })),
};

interface OfScope {
  readonly partner_id: string;
  readonly mode: Mode;
  readonly row: string;
}

interface StoredEvent extends Omit<OfScope, 'row'> {
  readonly id: string;
  readonly session_id: string | null;
  readonly sequence: number | null;
  readonly type: string;
  readonly created_at: number;
  readonly body: string;
}

interface StoredKey extends Pick<OfScope, 'mode'> {
  readonly scope: string;
  readonly key_hash: string;
  readonly fingerprint: string;
  readonly state: string;
  readonly expires_at: number;
}

/** A table of nothing but rows by their id. */
function jsonById<Row>(table: string): Shelf<Row> {
  return shelf(table, ['id'], ['id', 'row'], (stored: { id: string; row: string }) => parsed<Row>(stored));
}
