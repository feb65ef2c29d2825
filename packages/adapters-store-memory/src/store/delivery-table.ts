import type { Mode, Scope } from '@gateramp/core';
import {
  deliveryEndpoint,
  endedAt,
  endpointResult,
  freeAt,
  noteResult,
  UNTRIED,
  type Delivery,
  type DeliveryAttempt,
  type EndpointHealth,
  type GateEvent,
  type Instant,
  type PageRequest,
} from '@gateramp/core/domain';
import type {
  ClaimedDelivery,
  DeliveryClaim,
  DeliveryRecord,
  DeliveryOutcome,
  Lease,
  WorkOwner,
} from '@gateramp/core/ports';
import { Retention } from '../structures/retention.js';
import type { DueItem } from '../work/due-queue.js';
import { WorkTable } from '../work/work-table.js';
import { belongsTo, isBeforeById, ScopedIndex, walkById, type ById } from './scoped-index.js';

/** The data of a delivery in addition to its row. */
interface Entry {
  readonly id: string;
  readonly mode: Mode;
  readonly event: GateEvent;
  attempts: readonly DeliveryAttempt[];
}

export class DeliveryTable {
  private readonly work = new WorkTable<Delivery>({ freeAt, lane: (row) => row.lane, endpoint: deliveryEndpoint });
  private readonly entries = new Map<string, Entry>();
  private readonly index = new ScopedIndex<Entry, ById>(isBeforeById);
  private readonly healths: Record<Mode, Map<string, EndpointHealth>> = { test: new Map(), live: new Map() };
  private readonly ended: Record<Mode, Retention> = { test: new Retention(), live: new Retention() };

  /** All deliveries of a mode, in no order. */
  rows(mode: Mode): readonly Delivery[] {
    return this.work.rows(mode);
  }

  has(id: string): boolean {
    return this.entries.has(id);
  }

  find(scope: Scope, id: string): DeliveryRecord | null {
    const entry = this.entries.get(id);
    const record = entry === undefined ? null : this.record(entry);
    return record !== null && belongsTo(record.delivery, scope) ? record : null;
  }

  page(scope: Scope, page: PageRequest, matches: (row: Delivery) => boolean): DeliveryRecord[] {
    return this.index.page(scope, page.limit, walkById(page), (entry) => {
      const record = this.record(entry);
      return record !== null && matches(record.delivery) ? record : null;
    });
  }

  add(row: Delivery, event: GateEvent): void {
    const entry: Entry = { id: row.id, mode: row.mode, event, attempts: [] };
    this.entries.set(row.id, entry);
    this.index.add(row, entry);
    this.put(row);
  }

  /** Whether the stored delivery is dead-lettered and its replay count is one less than the row's. */
  acceptsReplay(scope: Scope, row: Delivery): boolean {
    const stored = this.find(scope, row.id)?.delivery;
    return stored?.status === 'dead_lettered' && stored.replayCount === row.replayCount - 1;
  }

  replay(row: Delivery): void {
    this.put(row);
  }

  claim(request: DeliveryClaim): ClaimedDelivery[] {
    return this.work.claim(request).map((row) => this.withEvent(row));
  }

  claimOne(owner: WorkOwner, id: string, lease: Lease): ClaimedDelivery | null {
    const row = this.work.claimOne(owner, id, { ...lease, early: false });
    return row === null ? null : this.withEvent(row);
  }

  recordOutcome({ leaseToken, next, attempt }: DeliveryOutcome): 'recorded' | 'lost' {
    const entry = this.entries.get(next.id);
    if (entry === undefined || !this.work.isHeldBy(next.id, leaseToken)) return 'lost';
    this.put(next);
    if (attempt !== null) entry.attempts = [...entry.attempts, attempt];
    this.note(next, attempt);
    return 'recorded';
  }

  health(scope: Scope): EndpointHealth | null {
    return this.healths[scope.mode].get(scope.partnerId) ?? null;
  }

  private note(next: Delivery, attempt: DeliveryAttempt | null): void {
    const result = endpointResult(next, attempt);
    if (result !== null) this.healths[next.mode].set(next.partnerId, noteResult(this.health(next) ?? UNTRIED, result));
  }

  /** Of all lanes, or of these only. */
  soonest(mode: Mode, lanes?: readonly string[]): DueItem | null {
    return this.work.soonest(mode, lanes);
  }

  ofSandbox(partnerId: string, limit: number, lanes?: readonly string[]): readonly DueItem[] {
    return this.work.ofSandbox(partnerId, limit, lanes);
  }

  /** Deletes one delivery that had ended by `endedBy`, or only an outdated reminder. */
  reapOne(mode: Mode, endedBy: Instant): 'deleted' | 'kept' | 'none' {
    const id = this.ended[mode].take(endedBy);
    if (id === null) return 'none';
    const row = this.work.find({ mode }, id);
    const end = row === null ? null : endedAt(row);
    if (row === null || end === null || end > endedBy) return 'kept';
    this.work.remove(id);
    this.entries.delete(id);
    this.index.remove(row, { id });
    return 'deleted';
  }

  private put(row: Delivery): void {
    this.work.put(row);
    const end = endedAt(row);
    if (end !== null) this.ended[row.mode].keep(row.id, end);
  }

  private record(entry: Entry): DeliveryRecord | null {
    const delivery = this.work.find(entry, entry.id);
    return delivery === null ? null : { delivery, attempts: entry.attempts };
  }

  private withEvent(delivery: Delivery): ClaimedDelivery {
    const event = this.entries.get(delivery.id)?.event;
    if (event === undefined) throw new Error('A queued delivery has no event.');
    return { delivery, event };
  }
}
