import type { ApiKey, Mode, Partner, WebhookEndpoint } from '@gateramp/core';
import type { AuditEntry, Delivery, EndpointHealth, Intent, Session, Task, Transaction } from '@gateramp/core/domain';
import type { Document, KeyRow } from '@gateramp/core/ports';
import type { ExportRows } from '@gateramp/store-move';
import { EVENT_MEMBERS, recordOf } from './reads.js';
import { joined, plainShelf, type RowTable, type RowTables, shelf } from './row-table.js';
import { parsed } from './rows.js';

/** Every table with data of its own; triggers derive `queue_heads` from the deliveries. A new table needs its kind in `Kept`. */
export const shelves: RowTables = {
  partner: jsonById<Partner>('partners'),
  key: shelf(
    'api_keys',
    ['hash'],
    ['hash', 'partnerId', 'row', 'lastUsedAt'],
    (stored: { hash: string; partnerId: string; row: string; lastUsedAt: number | null }) => ({
      key: parsed<ApiKey>(stored),
      lastUsedAt: stored.lastUsedAt,
    }),
  ),
  endpoint: shelf('endpoints', ['partnerId', 'mode'], ['partnerId', 'mode', 'row'], (stored: OfScope) =>
    parsed<WebhookEndpoint>(stored),
  ),
  endpoint_health: shelf(
    'endpoint_health',
    ['partnerId', 'mode'],
    ['partnerId', 'mode', 'row'],
    ({ row, ...scope }: OfScope) => ({ ...parsed<EndpointHealth>({ row }), ...scope }),
  ),
  session: jsonById<Session>('sessions'),
  intent: jsonById<Intent>('intents'),
  transaction: jsonById<Transaction>('transactions'),
  document: shelf(
    'documents',
    ['partnerId', 'mode', 'noun', 'id'],
    ['partnerId', 'mode', 'noun', 'id', 'row'],
    (stored: OfScope & { noun: string; id: string }) => parsed<Document>(stored),
  ),
  event: plainShelf<ExportRows['event']>('events', ['id'], EVENT_MEMBERS),
  delivery: joined(
    shelf(
      'deliveries',
      ['id'],
      ['id', 'row', 'endpoint', 'freeAt', 'endedAt'],
      // The other columns follow from the row.
      (stored: { id: string; row: string; endpoint: string; freeAt: number | null; endedAt: number | null }) =>
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
    ['id', 'row', 'freeAt', 'doneAt'],
    (stored: { id: string; row: string; freeAt: number | null; doneAt: number | null }) => ({
      task: parsed<Task>(stored),
      doneAt: stored.doneAt,
    }),
  ),
  reply: shelf(
    'idempotency_keys',
    ['scope', 'keyHash'],
    ['scope', 'keyHash', 'mode', 'fingerprint', 'state', 'expiresAt'],
    ({ state, ...stored }: Omit<ExportRows['reply'], 'state'> & { state: string }) => ({
      ...stored,
      state: parsed<KeyRow['state']>({ row: state }),
    }),
  ),
  mark: plainShelf<ExportRows['mark']>('once_marks', ['mark'], ['mark']),
  counter: plainShelf<ExportRows['counter']>('counters', ['name'], ['name', 'value']),
  consumer: shelf(
    'consumers',
    ['name', 'type'],
    ['name', 'type', 'isRemoved', 'version'],
    ({ isRemoved, ...stored }: Omit<ExportRows['consumer'], 'isRemoved'> & { isRemoved: number }) => ({
      ...stored,
      isRemoved: isRemoved === 1,
    }),
  ),
  kyc_package: plainShelf<ExportRows['kyc_package']>(
    'kyc_packages',
    ['sessionId'],
    ['sessionId', 'partnerId', 'mode', 'forgetBy', 'sealed'],
  ),
  sandbox_operation: shelf(
    'sandbox_operations',
    ['operationId'],
    ['operationId', 'operation', 'endedAt'],
    (stored: Omit<ExportRows['sandbox_operation'], 'version'>) => ({
      ...stored,
      // Written by the ledger from an operation.
      version: (JSON.parse(stored.operation) as { readonly version: number }).version,
    }),
  ),
  leg_document: plainShelf<ExportRows['leg_document']>(
    'leg_documents',
    ['kind', 'id'],
    ['kind', 'id', 'version', 'status', 'dueAt', 'body'],
  ),
  leg_entry: plainShelf<ExportRows['leg_entry']>('leg_entries', ['id'], ['id', 'operationId', 'at', 'postings']),
  audit_entry: shelf('audit_entries', ['sequence'], ['sequence', 'row'], (stored: { sequence: number; row: string }) =>
    parsed<AuditEntry>(stored),
  ),
  setting: plainShelf<ExportRows['setting']>('settings', ['name'], ['name', 'value']),
};

interface OfScope {
  readonly partnerId: string;
  readonly mode: Mode;
  readonly row: string;
}

/** A table that contains only rows and their ids. */
function jsonById<Row>(table: string): RowTable<Row> {
  return shelf(table, ['id'], ['id', 'row'], (stored: { id: string; row: string }) => parsed<Row>(stored));
}
