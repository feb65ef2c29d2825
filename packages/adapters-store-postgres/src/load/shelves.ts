import { deliveryEndpoint, endedAt, freeAt } from '@gateramp/core/domain';
import { MOVE_SETTING } from '@gateramp/store-move';
import { reusableFrom } from '../commit/commit-outcomes.js';
import { rowOfDelivery } from '../delivery-row.js';
import { type ImportTables, shelf } from './import-table.js';

const SCOPE = { partner_id: 'text', mode: 'text' } as const;
const KEYED = { ...SCOPE, id: 'text', version: 'int4', row: 'json' } as const;
const LEASE = { lease_token: 'text', lease_until: 'int8', claims: 'int4' } as const;

/** The row contains all columns. */
const nothingElse = () => ({});

/** Every table of the store and of the adapters in the same schema. Columns get the values that commits and workers write. */
export const shelves: ImportTables = {
  partner: [shelf('partners', { id: 'text', row: 'json' }, nothingElse)],
  key: [
    shelf('api_keys', { hash: 'text', partner_id: 'text', row: 'json', last_used_at: 'int8' }, ({ key }) => ({
      hash: key.hash,
      partner_id: key.partnerId,
      row: JSON.stringify(key),
    })),
  ],
  endpoint: [shelf('endpoints', { ...SCOPE, url: 'text', row: 'json' }, nothingElse)],
  endpoint_health: [
    shelf(
      'endpoint_health',
      { ...SCOPE, consecutive_failures: 'int4', last_success_at: 'int8', last_failure_at: 'int8', last_error: 'text' },
      nothingElse,
    ),
  ],
  session: [
    shelf(
      'sessions',
      {
        ...KEYED,
        status: 'text',
        flow: 'text',
        currency: 'text',
        user_reference: 'text',
        created_at: 'int8',
        expires_at: 'int8',
        is_held: 'bool',
      },
      ({ terms, heldSince }) => ({ flow: terms.flow, currency: terms.currency, is_held: heldSince !== null }),
    ),
  ],
  intent: [shelf('intents', { ...KEYED, provider: 'text', operation_id: 'text' }, nothingElse)],
  transaction: [
    shelf(
      'transactions',
      { ...KEYED, session_id: 'text', status: 'text', flow: 'text', user_reference: 'text', created_at: 'int8' },
      ({ refid }) => ({ id: refid }),
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
      ({ group }) => ({ group_key: group }),
    ),
  ],
  event: [
    shelf(
      'events',
      { ...SCOPE, id: 'text', session_id: 'text', sequence: 'int4', type: 'text', created_at: 'int8', body: 'text' },
      nothingElse,
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
      ({ delivery, attempts }) => ({
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
      ({ delivery }) =>
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
      ({ task }) => ({
        id: task.id,
        mode: task.mode,
        free_at: freeAt(task),
        ...leaseOf(task),
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
      ({ state, expiresAt }) => ({
        reply: state.kind === 'sealed' ? state.reply : null,
        resource_id: state.kind === 'sealed' ? null : state.resourceId,
        task_id: state.kind === 'sealed' ? null : state.taskId,
        // The writer and the time are needed only during the write.
        written_by: 'claim',
        taken_at: 0,
        expires_at: reusableFrom(expiresAt),
      }),
    ),
  ],
  mark: [shelf('once_marks', { mark: 'text' }, nothingElse)],
  counter: [shelf('counters', { name: 'text', value: 'decimal' }, nothingElse)],
  consumer: [shelf('consumers', { name: 'text', type: 'text', is_removed: 'bool', version: 'int8' }, nothingElse)],
  kyc_package: [
    shelf('kyc_packages', { session_id: 'text', ...SCOPE, forget_by: 'int8', sealed: 'text' }, nothingElse),
  ],
  sandbox_operation: [
    shelf(
      'sandbox_operations',
      { operation_id: 'text', version: 'int4', operation: 'json', ended_at: 'int8' },
      nothingElse,
    ),
  ],
  leg_document: [
    shelf(
      'leg_documents',
      { kind: 'text', id: 'text', version: 'int4', status: 'text', due_at: 'int8', body: 'json' },
      nothingElse,
    ),
  ],
  leg_entry: [shelf('leg_entries', { id: 'text', operation_id: 'text', at: 'int8', postings: 'json' }, nothingElse)],
  audit_entry: [
    shelf(
      'audit_entries',
      { sequence: 'int8', partner_id: 'text', request_id: 'text', row: 'json' },
      ({ partnerId, requestId }) => ({ partner_id: partnerId, request_id: requestId }),
    ),
  ],
  setting: [shelf('settings', { name: 'text', value: 'text' }, ({ name }) => (name === MOVE_SETTING ? null : {}))],
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
