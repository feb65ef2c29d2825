import { deliveryEndpoint, endedAt, freeAt } from '@gateramp/core/domain';
import { MOVE_SETTING, type ExportRows } from '@gateramp/core/ports';
import { reusableFrom } from '../commit/key-expiry.js';
import { rowOfDelivery } from '../delivery-row.js';
import { type ImportTables, shelf } from './import-table.js';

const SCOPE = { partner_id: 'text', mode: 'text' } as const;
const LEASE = { lease_token: 'text', lease_until: 'int8', claims: 'int4' } as const;

/** Every table of the store and of its neighbours. Columns are filled as the statements of commits and work fill them. */
export const shelves: ImportTables = {
  partner: [shelf('partners', { id: 'text', row: 'json' }, (row) => ({ id: row.id, row: JSON.stringify(row) }))],
  key: [
    shelf(
      'api_keys',
      { hash: 'text', partner_id: 'text', row: 'json', last_used_at: 'int8' },
      ({ key, lastUsedAt }: ExportRows['key']) => ({
        hash: key.hash,
        partner_id: key.partnerId,
        row: JSON.stringify(key),
        last_used_at: lastUsedAt,
      }),
    ),
  ],
  endpoint: [
    shelf('endpoints', { ...SCOPE, url: 'text', row: 'json' }, (row: ExportRows['endpoint']) => ({
      ...scopeOf(row),
      url: row.url,
      row: JSON.stringify(row),
    })),
  ],
  endpoint_health: [
    shelf(
      'endpoint_health',
      { ...SCOPE, consecutive_failures: 'int4', last_success_at: 'int8', last_failure_at: 'int8', last_error: 'text' },
      (row: ExportRows['endpoint_health']) => ({
        ...scopeOf(row),
        consecutive_failures: row.consecutiveFailures,
        last_success_at: row.lastSuccessAt,
        last_failure_at: row.lastFailureAt,
        last_error: row.lastError,
      }),
    ),
  ],
  session: [
    shelf(
      'sessions',
      {
        ...SCOPE,
        id: 'text',
        version: 'int4',
        status: 'text',
        flow: 'text',
        currency: 'text',
        user_reference: 'text',
        created_at: 'int8',
        expires_at: 'int8',
        is_held: 'bool',
        row: 'json',
      },
      (row: ExportRows['session']) => ({
        ...scopeOf(row),
        id: row.id,
        version: row.version,
        status: row.status,
        flow: row.terms.flow,
        currency: row.terms.currency,
        user_reference: row.userReference,
        created_at: row.createdAt,
        expires_at: row.expiresAt,
        is_held: row.heldSince !== null,
        row: JSON.stringify(row),
      }),
    ),
  ],
  intent: [
    shelf(
      'intents',
      { ...SCOPE, id: 'text', version: 'int4', provider: 'text', operation_id: 'text', row: 'json' },
      (row: ExportRows['intent']) => ({
        ...scopeOf(row),
        id: row.id,
        version: row.version,
        provider: row.provider,
        operation_id: row.operationId,
        row: JSON.stringify(row),
      }),
    ),
  ],
  transaction: [
    shelf(
      'transactions',
      {
        ...SCOPE,
        id: 'text',
        version: 'int4',
        session_id: 'text',
        status: 'text',
        flow: 'text',
        user_reference: 'text',
        created_at: 'int8',
        row: 'json',
      },
      (row: ExportRows['transaction']) => ({
        ...scopeOf(row),
        id: row.refid,
        version: row.version,
        session_id: row.sessionId,
        status: row.status,
        flow: row.flow,
        user_reference: row.userReference,
        created_at: row.createdAt,
        row: JSON.stringify(row),
      }),
    ),
  ],
  document: [
    shelf(
      'documents',
      {
        ...SCOPE,
        noun: 'text',
        id: 'text',
        version: 'int4',
        group_key: 'text',
        created_at: 'int8',
        keep_until: 'int8',
        body: 'text',
      },
      (row: ExportRows['document']) => ({
        ...scopeOf(row),
        noun: row.noun,
        id: row.id,
        version: row.version,
        group_key: row.group,
        created_at: row.createdAt,
        keep_until: row.keepUntil,
        body: row.body,
      }),
    ),
  ],
  event: [
    shelf(
      'events',
      {
        id: 'text',
        ...SCOPE,
        session_id: 'text',
        sequence: 'int4',
        type: 'text',
        created_at: 'int8',
        body: 'text',
      },
      (row: ExportRows['event']) => ({
        id: row.id,
        ...scopeOf(row),
        session_id: row.sessionId,
        sequence: row.sequence,
        type: row.type,
        created_at: row.createdAt,
        body: row.body,
      }),
    ),
  ],
  delivery: [
    shelf(
      'deliveries',
      {
        ...SCOPE,
        id: 'text',
        event_id: 'text',
        event_type: 'text',
        status: 'text',
        created_at: 'int8',
        ended_at: 'int8',
        is_webhook: 'bool',
        row: 'json',
        attempts: 'jsons',
      },
      ({ delivery, attempts }: ExportRows['delivery']) => ({
        ...scopeOf(delivery),
        id: delivery.id,
        event_id: delivery.eventId,
        event_type: delivery.eventType,
        status: delivery.status,
        created_at: delivery.createdAt,
        ended_at: endedAt(delivery),
        is_webhook: delivery.target === 'webhook',
        row: JSON.stringify(rowOfDelivery(delivery)),
        attempts: attempts.length === 0 ? null : JSON.stringify(attempts),
      }),
    ),
    shelf(
      'delivery_queue',
      { id: 'text', ...SCOPE, lane: 'text', endpoint: 'text', event_id: 'text', due_at: 'int8', ...LEASE },
      ({ delivery }: ExportRows['delivery']) =>
        freeAt(delivery) === null
          ? null
          : {
              id: delivery.id,
              ...scopeOf(delivery),
              lane: delivery.lane,
              endpoint: deliveryEndpoint(delivery),
              event_id: delivery.eventId,
              due_at: delivery.dueAt,
              ...leaseOf(delivery),
            },
    ),
  ],
  task: [
    shelf(
      'tasks',
      { id: 'text', mode: 'text', free_at: 'int8', ...LEASE, done_at: 'int8', row: 'json' },
      ({ task, doneAt }: ExportRows['task']) => ({
        id: task.id,
        mode: task.mode,
        free_at: freeAt(task),
        ...leaseOf(task),
        done_at: doneAt,
        row: JSON.stringify(task),
      }),
    ),
  ],
  reply: [
    shelf(
      'idempotency_keys',
      {
        scope: 'text',
        key_hash: 'text',
        mode: 'text',
        fingerprint: 'text',
        reply: 'text',
        resource_id: 'text',
        task_id: 'text',
        written_by: 'text',
        taken_at: 'int8',
        expires_at: 'int8',
      },
      ({ scope, keyHash, mode, fingerprint, state, expiresAt }: ExportRows['reply']) => ({
        scope,
        key_hash: keyHash,
        mode,
        fingerprint,
        reply: state.kind === 'sealed' ? state.reply : null,
        resource_id: state.kind === 'sealed' ? null : state.resourceId,
        task_id: state.kind === 'sealed' ? null : state.taskId,
        // Who wrote it and when is looked at while it is written, and never again.
        written_by: 'claim',
        taken_at: 0,
        expires_at: reusableFrom(expiresAt),
      }),
    ),
  ],
  mark: [shelf('once_marks', { mark: 'text' }, ({ mark }: ExportRows['mark']) => ({ mark }))],
  counter: [
    shelf('counters', { name: 'text', value: 'decimal' }, ({ name, value }: ExportRows['counter']) => ({
      name,
      value,
    })),
  ],
  consumer: [
    shelf(
      'consumers',
      { name: 'text', type: 'text', is_removed: 'bool', version: 'int8' },
      ({ name, type, isRemoved, version }: ExportRows['consumer']) => ({ name, type, is_removed: isRemoved, version }),
    ),
  ],
  kyc_package: [
    shelf(
      'kyc_packages',
      { session_id: 'text', ...SCOPE, forget_by: 'int8', sealed: 'text' },
      (row: ExportRows['kyc_package']) => ({
        session_id: row.sessionId,
        ...scopeOf(row),
        forget_by: row.forgetBy,
        sealed: row.sealed,
      }),
    ),
  ],
  sandbox_operation: [
    shelf(
      'sandbox_operations',
      { operation_id: 'text', version: 'int4', operation: 'json', ended_at: 'int8' },
      (row: ExportRows['sandbox_operation']) => ({
        operation_id: row.operationId,
        version: row.version,
        operation: row.operation,
        ended_at: row.endedAt,
      }),
    ),
  ],
  setting: [
    shelf('settings', { name: 'text', value: 'text' }, ({ name, value }: ExportRows['setting']) =>
      name === MOVE_SETTING ? null : { name, value },
    ),
  ],
};

function scopeOf({ partnerId, mode }: { readonly partnerId: string; readonly mode: string }) {
  return { partner_id: partnerId, mode };
}

interface Leased {
  readonly leaseToken: string | null;
  readonly leaseUntil: number | null;
  readonly claims: number;
}

function leaseOf({ leaseToken, leaseUntil, claims }: Leased) {
  return { lease_token: leaseToken, lease_until: leaseUntil, claims };
}
