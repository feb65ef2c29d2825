import type { Session } from '@gateramp/core/domain';
import { AuditTable } from './audit-table.js';
import { ConsumerTable } from './consumer-table.js';
import { CounterTable } from './counter-table.js';
import { DeliveryTable } from './delivery-table.js';
import { DocumentTable } from './document-table.js';
import { EventTable } from './event-table.js';
import { IdempotencyTable } from './idempotency-table.js';
import { IntentTable } from './intent-table.js';
import { PartnerTable } from './partner-table.js';
import { TaskTable } from './task-table.js';
import { TransactionTable } from './transaction-table.js';
import { VersionedTable } from './versioned-table.js';

/** All tables of a store. */
export type Tables = ReturnType<typeof emptyTables>;

export function emptyTables() {
  const settings = new Map<string, string>();
  return {
    audit: new AuditTable(settings),
    idempotency: new IdempotencyTable(),
    once: new Set<string>(),
    sessions: new VersionedTable<Session>((session) => session.id),
    intents: new IntentTable(),
    transactions: new TransactionTable(),
    documents: new DocumentTable(),
    events: new EventTable(),
    deliveries: new DeliveryTable(),
    tasks: new TaskTable(),
    counters: new CounterTable(),
    consumers: new ConsumerTable(),
    partners: new PartnerTable(),
    settings,
  };
}
