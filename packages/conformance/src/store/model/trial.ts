import assert from 'node:assert/strict';
import type { Scope } from '@gateramp/core';
import {
  announce,
  cancel,
  complete,
  deliveryEndpoint,
  expireIfDue,
  finishTask,
  isTerminal,
  recordDeliveryAttempt,
  scopeOf,
  type Delivery,
  type Instant,
  type Session,
  type Task,
  type Transition,
} from '@gateramp/core/domain';
import { emptyChange, type Change, type Store } from '@gateramp/core/ports';
import { ACME, BOLT, POLICY, T0, aRefid, aSession, aTask, aUuid, nowIn } from '../../builders.js';
import { LEASE_MS, claim, creation, transition } from '../../changes.js';
import { ACKNOWLEDGED, REFUSED } from '../delivery-laws.js';
import type { Command, Round, Step } from './history.js';
import { LeaseBook, type Ending, type Handed } from './lease-book.js';
import { SessionBook, type Committed } from './session-book.js';

const RETENTION = 1_000 * 24 * 60 * 60 * 1_000;
const PARTNERS: readonly Scope[] = [ACME, BOLT];

/** All results of a round, before they are checked. */
interface Returns {
  readonly created: Committed[];
  readonly decided: Committed[];
  readonly claimed: Claimed<Delivery>[];
  readonly recorded: Ending[];
  readonly claimedTasks: Claimed<Task>[];
  readonly finished: Ending[];
}

interface Claimed<Row> {
  readonly row: Row;
  readonly token: string;
}

/** Compares a store with the reference: every round runs concurrently on the store, and is then checked. */
export class Trial {
  readonly sessions = new SessionBook();
  readonly deliveries = new LeaseBook();
  readonly tasks = new LeaseBook();
  /** Acknowledged completions of tasks. */
  finishes = 0;
  now: Instant = T0;
  private readonly store: Store;
  private readonly held: Claimed<Delivery>[] = [];
  private readonly heldTasks: Claimed<Task>[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  async play({ elapse, commands }: Round): Promise<void> {
    this.now += elapse;
    const returns: Returns = { created: [], decided: [], claimed: [], recorded: [], claimedTasks: [], finished: [] };
    await Promise.all(commands.map((command) => this.run(command, returns)));
    this.believe(returns);
  }

  private believe(returns: Returns): void {
    this.sessions.created(returns.created);
    this.sessions.decided(returns.decided);
    for (const { change, outcome } of [...returns.created, ...returns.decided]) {
      if (outcome.kind === 'committed') this.expectWork(change);
    }
    this.deliveries.round(returns.claimed.map(handed), returns.recorded, this.now);
    this.tasks.round(returns.claimedTasks.map(handed), returns.finished, this.now);
    this.held.unshift(...returns.claimed);
    this.heldTasks.unshift(...returns.claimedTasks);
    this.finishes += returns.finished.filter(({ accepted }) => accepted).length;
  }

  private expectWork(change: Change): void {
    for (const task of change.tasks) this.tasks.add(task.id, task.dueAt);
    if (change.scope.partnerId !== ACME.partnerId) return;
    for (const { row } of change.deliveries) this.deliveries.add(row.id, this.now);
  }

  private async run(command: Command, returns: Returns): Promise<void> {
    switch (command.kind) {
      case 'create': {
        const change = this.create(command);
        returns.created.push({ change, outcome: await this.store.commit(change) });
        return;
      }
      case 'decide': {
        const change = this.decide(command);
        if (change !== null) returns.decided.push({ change, outcome: await this.store.commit(change) });
        return;
      }
      case 'claim':
        return this.claim(command, returns);
      case 'record':
        return this.record(command, returns);
      case 'claimTasks': {
        const token = aUuid();
        const rows = await this.store.claim('task', {
          now: nowIn(this.now),
          limit: command.limit,
          leaseMs: LEASE_MS,
          token,
        });
        assert.ok(rows.length <= command.limit);
        returns.claimedTasks.push(...rows.map((row) => ({ row, token })));
        return;
      }
      case 'finish':
        return this.finish(command, returns);
    }
  }

  private create({ partner, key, body }: Command & { kind: 'create' }): Change {
    const scope = PARTNERS[partner] ?? ACME;
    const change = { ...creation(aSession({ scope, at: this.now })), tasks: [aTask({ scope, at: this.now })] };
    const wanted = {
      ...change,
      deliveries: change.deliveries.map(({ row }) => ({ row, when: 'endpoint_set' as const })),
    };
    if (key === null) return wanted;
    const ref = { scope: `${scope.partnerId}/${scope.mode}`, keyHash: hash(key), fingerprint: hash(body) };
    return { ...wanted, idempotency: claim(ref, aUuid(), this.now + RETENTION) };
  }

  private decide({ session, step, versionsBehind }: Command & { kind: 'decide' }): Change | null {
    const versions = this.sessions.nth(session)?.versions ?? [];
    const before = versions[Math.max(0, versions.length - 1 - versionsBehind)];
    const next = before === undefined ? null : taken(before, step, this.now);
    if (before === undefined || next === null) return null;
    const change = transition(before, next, this.now);
    return { ...change, deliveries: change.deliveries.map(({ row }) => ({ row, when: 'endpoint_set' })) };
  }

  private async claim({ lane, limit, perEndpoint }: Command & { kind: 'claim' }, returns: Returns): Promise<void> {
    const token = aUuid();
    const request = { now: nowIn(this.now), lane, limit, perEndpoint, leaseMs: LEASE_MS, token };
    const rows = (await this.store.claim('delivery', request)).map(({ delivery }) => delivery);
    assert.ok(rows.length <= limit && rows.every((row) => row.lane === lane));
    const endpoints = rows.map(deliveryEndpoint);
    for (const endpoint of endpoints) assert.ok(endpoints.filter((other) => other === endpoint).length <= perEndpoint);
    returns.claimed.push(...rows.map((row) => ({ row, token })));
  }

  private async record({ claim: nth, acknowledged }: Command & { kind: 'record' }, returns: Returns): Promise<void> {
    const lease = this.held[nth];
    if (lease === undefined) return;
    const { delivery: next, attempt } = recordDeliveryAttempt(
      lease.row,
      acknowledged ? ACKNOWLEDGED : REFUSED,
      this.now,
      POLICY,
    );
    const accepted = (await this.store.recordDelivery({ leaseToken: lease.token, next, attempt })) === 'recorded';
    returns.recorded.push({ id: next.id, token: lease.token, dueAt: next.dueAt, accepted });
  }

  private async finish({ claim: nth }: Command & { kind: 'finish' }, returns: Returns): Promise<void> {
    const lease = this.heldTasks[nth];
    if (lease === undefined) return;
    const { row, token } = lease;
    const change: Change = {
      ...emptyChange(scopeOf(row), this.now),
      finishes: [{ row: finishTask(row), leaseToken: token }],
      counters: [{ name: `finishes/${row.partnerId}`, delta: '1', atLeast: null }],
    };
    const outcome = await this.store.commit(change);
    assert.ok(outcome.kind === 'committed' || outcome.kind === 'stale', outcome.kind);
    returns.finished.push({ id: row.id, token, dueAt: null, accepted: outcome.kind === 'committed' });
  }
}

function hash(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/** The domain's decision on exactly this version, even if it is outdated. */
function taken(session: Session, step: Step, now: Instant): Transition | null {
  if (isTerminal(session)) return null;
  switch (step) {
    case 'cancel':
      return cancel(session).unwrapOr(null);
    case 'expire':
      return expireIfDue(session, session.expiresAt + 1);
    case 'complete':
      return complete(session, aRefid(now));
    case 'fail':
      return announce(session, 'gate_session.processing', { intent_id: 'f'.repeat(24) });
    case 'touch':
      return { session: { ...session, attempts: session.attempts + 1 }, announcements: [] };
  }
}

function handed({ row, token }: Claimed<Delivery | Task>): Handed {
  return { id: row.id, token, until: row.leaseUntil ?? 0, claims: row.claims };
}
