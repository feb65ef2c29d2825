import type { Mode } from '@gateramp/core';
import { MODES } from '@gateramp/core/domain';
import type { Backlog, Clock, Store } from '@gateramp/core/ports';
import { Gauge } from 'prom-client';
import type { OpenDatabase } from '../database/open-database.js';
import { probeDatabase } from '../database/probe.js';
import type { Operator } from '../adapters.js';
import type { Metrics } from './metrics.js';

/** Gauges that are read on every scrape. Values that cannot be read are omitted, never repeated from an earlier scrape. */
export function watchStore({ registry }: Metrics, store: Store, clock: Clock): void {
  new Gauge({
    name: 'gate_oldest_due_seconds',
    help: 'How long the oldest work that is due has waited; 0 when nothing is due.',
    labelNames: ['mode'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const mode of MODES) {
        const waited = await waitedFor(store, clock, mode).catch(() => null);
        if (waited !== null) this.set({ mode }, waited / 1000);
      }
    },
  });
}

async function waitedFor(store: Store, clock: Clock, mode: Mode): Promise<number> {
  const next = await store.nextDue(mode);
  return next === null ? 0 : Math.max(0, clock.now(mode) - next.dueAt);
}

/** Gauges of the database and its backlog. Every process reports the same backlog: use one of them, or the maximum. */
export function watchOperator({ registry }: Metrics, operator: Operator, clock: Clock): void {
  const registers = [registry];
  const backlogs = shared(async () =>
    Promise.all(MODES.map(async (mode) => ({ mode, backlog: await operator.backlog(mode, clock.now(mode)) }))),
  );
  const probe = shared(() => probeDatabase(operator));

  for (const [name, help, member] of BACKLOG) {
    new Gauge({
      name,
      help,
      labelNames: ['mode'],
      registers,
      async collect() {
        this.reset();
        for (const { mode, backlog } of (await backlogs()) ?? []) this.set({ mode }, backlog[member]);
      },
    });
  }
  new Gauge({
    name: 'gate_database_up',
    help: '1 if the database answers and takes writes.',
    registers,
    async collect() {
      this.set((await probe()) === null ? 0 : 1);
    },
  });
  new Gauge({
    name: 'gate_database_clock_ahead_seconds',
    help: "How far the database's clock is ahead of this process's.",
    registers,
    async collect() {
      this.reset();
      const answer = await probe();
      if (answer !== null) this.set(answer.aheadMs / 1000);
    },
  });
}

/** Gauges of the connections to Postgres. */
export function watchConnections({ registry }: Metrics, database: OpenDatabase): void {
  new Gauge({
    name: 'gate_database_connections',
    help: 'Connections of the pool for requests and work; waiting are callers without one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { totalCount, idleCount, waitingCount } = database.pool;
      this.set({ state: 'busy' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
      this.set({ state: 'waiting' }, waitingCount);
    },
  });
}

/** The state of the rate limiter, read on every scrape. */
export function watchLimits({ registry }: Metrics, isDegraded: () => boolean): void {
  new Gauge({
    name: 'gate_rate_limits_degraded',
    help: '1 while this process counts rate limits on its own because Redis is unavailable.',
    registers: [registry],
    collect() {
      this.set(isDegraded() ? 1 : 0);
    },
  });
}

const BACKLOG: readonly (readonly [name: string, help: string, member: keyof Backlog])[] = [
  ['gate_due_deliveries', 'Deliveries that are due and wait for a worker.', 'dueDeliveries'],
  ['gate_overdue_deliveries', 'Deliveries due for over 30 seconds and still not taken.', 'overdueDeliveries'],
  ['gate_due_tasks', 'Tasks that are due and wait for a worker.', 'dueTasks'],
  ['gate_overdue_tasks', 'Tasks due for over 30 seconds and still not taken.', 'overdueTasks'],
  ['gate_held_sessions', 'Sessions that are held because money may be moving.', 'heldSessions'],
];

const SHARED_MS = 500;

/** Shares one lookup among all series of a scrape; null if it failed. */
export function shared<Value>(look: () => Promise<Value>): () => Promise<Value | null> {
  let last: { readonly at: number; readonly value: Promise<Value | null> } | null = null;
  return () => {
    const now = performance.now();
    if (last === null || now - last.at > SHARED_MS) last = { at: now, value: look().catch(() => null) };
    return last.value;
  };
}
