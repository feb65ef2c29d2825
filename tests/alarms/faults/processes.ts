import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { demoSeed, DEMO_KEYS } from '../../../apps/reference-server/src/demo/demo-partner.js';
import { readyServer, type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { freePort } from '../../services/ports.js';
import { scratchDatabase } from '../../services/scratch-database.js';
import { scratchFolder } from '../../services/scratch-folder.js';
import type { Fault } from '../scene.js';
import { onDatabase, startReceiver } from '../shop.js';

const ORIGIN = 'https://shop.example';
/** Work is set aside when it is claimed once more than this. */
const CLAIMS_MAX = 20;

async function call(server: ReadyServer, method: string, path: string, body?: object) {
  const answer = await fetch(`${server.origins.sandbox}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${DEMO_KEYS.secret}`,
      'idempotency-key': crypto.randomUUID(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as { readonly id: string };
}

/** Moves the test clock past every lease. It is answered once all due work has ended, which some never does. */
const advance = (server: ReadyServer) =>
  call(server, 'POST', '/v1/test_helpers/clock/advance', { seconds: 61 }).catch(() => null);

/** A database, a receiver, and the settings of processes that share both. */
async function installation() {
  const database = await scratchDatabase();
  const receiver = await startReceiver();
  const [partner] = demoSeed('http://127.0.0.1:1').partners;
  const test = { ...partner?.test, webhook_url: receiver.url };
  const seed = join(scratchFolder('gate-alarms-'), 'seed.json');
  writeFileSync(seed, JSON.stringify({ partners: [{ ...partner, allowed_origins: [ORIGIN], pools: [], test }] }));
  const settings = {
    ...onDatabase(database.url),
    GATE_SEED_FILE: seed,
    GATE_DEMO: 'off',
    GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
    GATE_RATE_LIMITS: 'off',
  };
  return { database, receiver, settings };
}

const order = (server: ReadyServer) =>
  call(server, 'POST', '/v1/gate_sessions', { amount: '100.00', currency: 'EUR', return_url: `${ORIGIN}/done` });

async function started(settings: Readonly<Record<string, string>>): Promise<ReadyServer> {
  const server = await readyServer(settings);
  onTestFinished(() => void server.process.kill('SIGKILL'));
  return server;
}

/** Faults of whole processes. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    title: 'a process gets no processor time, again and again',
    alerts: ['GateEventLoopBlocked'],
    async cause(scene) {
      const server = await started({});
      scene.watch(server.origins.ops);
      await scene.minutes(1);
      scene.begins();
      const course = { isOver: false };
      onTestFinished(() => void (course.isOver = true));
      const stops = async (): Promise<void> => {
        while (!course.isOver) {
          server.process.kill('SIGSTOP');
          await pause(400);
          server.process.kill('SIGCONT');
          await pause(100);
        }
      };
      void stops();
      await scene.minutes(10);
    },
  },
  {
    title: 'a process freezes for longer than its leases, and another one does its work',
    alerts: ['GateLeasesLost'],
    async cause(scene) {
      const { receiver, settings } = await installation();
      const frozen = await started(settings);
      scene.watch(frozen.origins.ops);
      await scene.minutes(1);
      scene.begins();
      receiver.answer = 'hang';
      // At once: an attempt that has timed out before the process freezes loses no lease.
      await Promise.all(Array.from({ length: 8 }, () => order(frozen)));
      while (receiver.requests < 8) await pause(20);
      frozen.process.kill('SIGSTOP');
      receiver.answer = 'ok';
      const other = await started(settings);
      scene.watch(other.origins.ops);
      // The lease of a delivery is a minute.
      while (receiver.requests < 16) await pause(100);
      frozen.process.kill('SIGCONT');
      await scene.until('gate_lease_losses_total{kind="delivery"}', (value) => value > 6);
      await scene.minutes(1);
    },
  },
  {
    title: 'work crashes its worker each time it is claimed',
    alerts: ['GateDeliveryParked', 'GateTaskParked'],
    async cause(scene) {
      const { database, receiver, settings: shared } = await installation();
      // A process that dies while it advances a sandbox keeps it for 15 s; the clock of the mode is not kept.
      const clock = { GATE_TEST_CLOCK: 'on', GATE_TEST_CLOCK_SCOPE: 'mode' };
      const settings = { ...shared, ...clock, GATE_OPS_PORT: String(await freePort()) };
      let server = await started(settings);
      scene.watch(server.origins.ops);
      const holder = new pg.Client({ connectionString: database.url });
      await holder.connect();
      onTestFinished(() => holder.end());
      await scene.minutes(1);
      scene.begins();

      /** Kills the process each time that it has claimed the work, until no other claim may follow. */
      async function crash(hasClaimed: (claims: number) => Promise<boolean>): Promise<void> {
        for (let claims = 1; claims <= CLAIMS_MAX; claims += 1) {
          while (!(await hasClaimed(claims))) await pause(20);
          server.process.kill('SIGKILL');
          await server.exited;
          server = await started(settings);
          void advance(server);
        }
      }
      receiver.answer = 'hang';
      await order(server);
      await crash(async (claims) => receiver.requests >= claims);
      await scene.raised('delivery_parked');

      receiver.answer = 'ok';
      const { id } = await order(server);
      await call(server, 'POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, { scenario: 'succeed' });
      // The server asks the provider about the payment, which this lock keeps from answering.
      await holder.query('begin; lock table gateramp.sandbox_operations in access exclusive mode');
      void advance(server);
      await crash(async (claims) => {
        const { rows } = await holder.query<{ readonly claims: number | null }>(
          "select max(claims) as claims from gateramp.tasks where row ->> 'kind' = 'provider_check'",
        );
        return (rows[0]?.claims ?? 0) >= claims;
      });
      await scene.raised('task_parked');
    },
  },
];
