import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate, postgresPartitions, postgresStore } from '@gateramp/adapters-store-postgres';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { runGate } from '../../../apps/reference-server/test/run-gate.js';
import { startPostgres } from '../../services/postgres.js';
import { startRedis } from '../../services/redis.js';
import { scratchDatabase } from '../../services/scratch-database.js';
import { scratchFolder } from '../../services/scratch-folder.js';
import type { Fault } from '../scene.js';
import { onDatabase, openShop, startReceiver, type Shop } from '../shop.js';

/** Sends requests until the test ends, whatever is answered. */
function traffic(shop: Shop, everyMs = 100): void {
  const terms = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
  const running = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const one = shop.try('POST', '/v1/gate_sessions', terms).finally(() => running.delete(one));
    running.add(one);
  }, everyMs);
  onTestFinished(async () => {
    clearInterval(timer);
    await Promise.all(running);
  });
}

/** Returns once a commit waits in the database, which stays so until it is killed. */
async function commitUnderWay(url: string): Promise<void> {
  const holder = new pg.Client({ connectionString: url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('begin; lock table gateramp.sessions in exclusive mode');
  for (;;) {
    const { rowCount } = await holder.query(
      "select from pg_locks where not granted and relation = 'gateramp.sessions'::regclass",
    );
    if ((rowCount ?? 0) > 0) return;
    await pause(20);
  }
}

/** A database whose time function precedes Postgres's own in the search path. */
async function databaseWithClock() {
  const database = await scratchDatabase();
  const setAhead = (seconds: number) =>
    database.query(`create or replace function ahead.clock_timestamp() returns timestamptz language sql volatile
      as $$ select pg_catalog.clock_timestamp() + ${seconds} * interval '1 second' $$`);
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`create schema ahead; alter database ${name} set search_path = ahead, pg_catalog`);
  await setAhead(0);
  return { ...database, setAhead };
}

const RAIL = { amount: '14.50', currency: 'EUR', asset: 'USDC', network: 'base', country_code: 'DE' };
const DAY = 24 * 3_600;

/** Faults of the database, of Redis, of clocks and of processes. */
export const DATABASE_FAULTS: readonly Fault[] = [
  {
    title: 'the database is killed under load',
    alerts: ['GateDatabaseDown', 'GateHttpErrors', 'GateCommitsUnknown'],
    async cause(scene) {
      const postgres = await startPostgres();
      onTestFinished(postgres.stop);
      const shop = await openShop(scene, { settings: onDatabase(postgres.url) });
      traffic(shop);
      await scene.minutes(3);
      scene.begins();
      await commitUnderWay(postgres.url);
      await postgres.kill();
      await scene.minutes(8);
    },
  },
  {
    title: 'Redis is killed',
    alerts: ['GateRateLimitsDegraded'],
    async cause(scene) {
      const redis = await startRedis();
      onTestFinished(redis.stop);
      const database = await scratchDatabase();
      const settings = { ...onDatabase(database.url), REDIS_URL: redis.url, GATE_RATE_LIMITS: '1000' };
      const shop = await openShop(scene, { settings });
      traffic(shop);
      await scene.minutes(2);
      scene.begins();
      await redis.kill();
      await scene.minutes(8);
    },
  },
  {
    title: 'the database writes slowly, and the pool is short',
    alerts: ['GateDatabaseConnectionsExhausted', 'GateHttpSlow', 'GateCommitsSlow'],
    async cause(scene) {
      const database = await scratchDatabase();
      const shop = await openShop(scene, {
        settings: { ...onDatabase(database.url), GATE_DATABASE_CONNECTIONS: '2' },
      });
      await shop.order();
      await scene.minutes(1);
      scene.begins();
      await database.query(`create function public.write_slowly() returns trigger language plpgsql
        as $$ begin perform pg_sleep(1.5); return null; end $$;
        create trigger slow after insert on gateramp.sessions for each statement execute function public.write_slowly()`);
      traffic(shop, 300);
      await scene.minutes(10);
    },
  },
  {
    title: 'the clock of the database is an hour ahead, and then three days',
    alerts: ['GateDatabaseClockOff', 'GateClockSkewed', 'GateClockUntrusted'],
    async cause(scene) {
      const database = await databaseWithClock();
      await database.setAhead(3_600);
      await openShop(scene, { settings: onDatabase(database.url) });
      await scene.raised('clock_skewed');
      await database.setAhead(3 * DAY);
      // A process looks at the clock once a minute.
      await scene.raised('clock_untrusted');
    },
  },
  {
    title: 'a commit of a partner does not end, and the partner lists events',
    alerts: ['GateEventsHeldBack'],
    async cause(scene) {
      const database = await scratchDatabase();
      const shop = await openShop(scene, { settings: onDatabase(database.url) });
      await shop.order();
      scene.begins();
      const holder = new pg.Client({ connectionString: database.url });
      await holder.connect();
      onTestFinished(() => holder.end());
      await holder.query(
        'begin; select gateramp.hold_places(array[partner_id], array[mode]) from gateramp.sessions limit 1',
      );
      await shop.try('GET', '/v1/events');
      await scene.raised('events_held_back');
    },
  },
  {
    title: 'the database was replaced by an earlier one',
    alerts: ['GateHistoryChanged'],
    async cause(scene) {
      const dir = join(scratchFolder('gate-alarms-'), 'data');
      const settings = { GATE_DATA_DIR: dir };
      const first = await openShop(scene, { settings });
      await first.order();
      await first.server.stop();
      const backup = join(scratchFolder('gate-alarms-'), 'gate.db');
      copyFileSync(join(dir, 'gate.db'), backup);
      const second = await openShop(scene, { settings });
      await second.order();
      await scene.minutes(1);
      await second.server.stop();
      for (const end of ['', '-wal', '-shm']) rmSync(join(dir, `gate.db${end}`), { force: true });
      copyFileSync(backup, join(dir, 'gate.db'));
      scene.begins();
      await openShop(scene, { settings });
      await scene.raised('history_changed');
    },
  },
  {
    title: 'the newest entry of the audit trail is removed together with the record of it',
    alerts: ['GateAuditSetBack'],
    async cause(scene) {
      const database = await scratchDatabase();
      const settings = onDatabase(database.url);
      await openShop(scene, { settings });
      const head = "select value from gateramp.settings where name = 'audit_head'";
      const before = String((await database.query(head))[0]?.['value']);
      await runGate('partners create --name Eve', settings);
      // A process looks every two seconds.
      await scene.minutes(5);
      scene.begins();
      await database.query(`delete from gateramp.audit_entries where sequence > ${Number.parseInt(before)}`);
      await database.query(`update gateramp.settings set value = '${before}' where name = 'audit_head'`);
      await scene.raised('audit_set_back');
    },
  },
  {
    title: 'a month of a partitioned table is missing, and the role of the worker may not make it',
    alerts: ['GatePartitionMonthMissing'],
    async cause(scene) {
      const database = await scratchDatabase();
      const owner = new pg.Pool({ connectionString: database.url, max: 3 });
      onTestFinished(() => owner.end());
      await migrate(owner);
      const role = `serves_${new URL(database.url).pathname.slice(1)}`;
      await owner.query(`create role ${role} login; grant usage on schema gateramp to ${role};
        grant select, insert, update, delete on all tables in schema gateramp to ${role}`);
      onTestFinished(async () => {
        await owner.query(`drop owned by ${role}; drop role ${role}`);
      });
      const url = new URL(database.url);
      url.username = role;
      const shop = await openShop(scene, { settings: onDatabase(url.href) });
      await shop.order();
      await scene.minutes(2);
      scene.begins();
      // As if the months had been made long ago, and none since.
      await postgresPartitions(owner).on(Date.now() - 200 * DAY * 1_000);
      await openShop(scene, { settings: { ...onDatabase(url.href), GATE_ROLE: 'worker', GATE_DEMO: 'off' } });
      await shop.order();
      await scene.until('gate_partition_months_ahead', (value) => value < 1);
      await scene.minutes(17);
    },
  },
  {
    title: 'the only worker is drained, and then resumes',
    alerts: [
      'GateWorkNotClaimed',
      'GateWorkOverdue',
      'GateBacklogGrowing',
      'GateFirstAttemptsLateFast',
      'GateFirstAttemptsLateSlow',
    ],
    async cause(scene) {
      const database = await scratchDatabase();
      const receiver = await startReceiver();
      const settings = onDatabase(database.url);
      const shop = await openShop(scene, { settings: { ...settings, GATE_ROLE: 'api' }, receiver: receiver.url });
      // Scraped from the beginning: what a process has counted before its first scrape is no increase.
      const worker = await openShop(scene, {
        settings: { ...settings, GATE_ROLE: 'worker', GATE_DEMO: 'off' },
        receiver: receiver.url,
      });
      const tell = (what: 'drain' | 'resume') => fetch(`${worker.server.origins.ops}/${what}`, { method: 'POST' });
      await tell('drain');
      await scene.minutes(1);
      scene.begins();
      for (let orders = 0; orders < 110; orders += 1) await shop.order('live');
      for (let minutes = 0; minutes < 40; minutes += 1) {
        await Promise.all([shop.order('live'), shop.order('live')]);
        await scene.minutes(1);
      }
      await scene.until('gate_overdue_deliveries{mode="live"}', (value) => value > 0);
      await scene.minutes(7);
      await scene.raised('work_overdue');
      await tell('resume');
      await scene.until('gate_overdue_deliveries{mode="live"}', (value) => value === 0);
      await scene.minutes(2);
    },
  },
  {
    title: 'the provider is out',
    alerts: [
      'GateProviderSkipped',
      'GateProviderErrors',
      'GateUnexpectedErrors',
      'GateProviderStepUnknown',
      'GateRefundPendingTooLong',
      'GateMoneyHeldFast',
      'GateMoneyHeldSlow',
    ],
    async cause(scene) {
      const database = await databaseWithClock();
      const settings = { ...onDatabase(database.url), GATE_TEST_CLOCK: 'on' };
      const shop = await openShop(scene, { settings });
      const quoteFor = async (mode: 'test' | 'live') => {
        const quoted = { ...RAIL, payment_method: 'bank_transfer', side: 'on_ramp' };
        return (await shop.call('POST', '/v1/quotes', quoted, mode))['id'];
      };
      const payIn = (quote: unknown, mode: 'test' | 'live') =>
        shop.try('POST', '/v1/rails/pay_ins', { quote_id: quote, wallet_address: WALLET }, mode);
      await shop.play('succeed');
      await shop.advance(60);
      const { data } = (await shop.call('GET', '/v1/transactions')) as {
        readonly data: readonly { readonly refid: string }[];
      };
      const quotes = [];
      for (let count = 0; count < 6; count += 1) quotes.push(await quoteFor('test'), await quoteFor('live'));
      await scene.minutes(2);
      scene.begins();
      // The sandbox provider keeps its operations in this table.
      await database.query('alter table gateramp.sandbox_operations rename to away');
      await runGate(`transactions refund ${data[0]?.refid} --reason test`, settings);
      for (const [index, quote] of quotes.entries()) await payIn(quote, index % 2 === 0 ? 'test' : 'live');
      await scene.raised('provider_skipped');
      // Five minutes pass; a process notices within one.
      await database.setAhead(310);
      await scene.until('gate_held_payments_total{mode="live"}', (value) => value > 0);
      await scene.raised('provider_step_unknown');
      // One advance plays a limited number of retries, and fewer on a slow machine.
      const isRaised = scene.raised('refund_pending_too_long').then(() => true);
      while (!(await Promise.race([isRaised, shop.advance(4 * 3_600).then(() => false)])));
    },
  },
  {
    title: 'a provider leaves a hundred sessions in processing',
    alerts: ['GateSessionsHeld'],
    async cause(scene) {
      const database = await scratchDatabase();
      const shop = await openShop(scene, { settings: onDatabase(database.url) });
      await scene.minutes(25);
      scene.begins();
      for (let sessions = 0; sessions < 100; sessions += 10)
        await Promise.all(Array.from({ length: 10 }, () => shop.play('processing')));
      await scene.minutes(18);
    },
  },
  {
    title: 'an embedded gate registered a consumer and is gone',
    alerts: ['GateConsumerMissing'],
    async cause(scene) {
      const database = await scratchDatabase();
      const shop = await openShop(scene, { settings: { ...onDatabase(database.url), GATE_TEST_CLOCK: 'on' } });
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      onTestFinished(() => pool.end());
      const store = postgresStore(pool, { schema: 'gateramp' });
      await store.registerConsumers([{ name: 'grant-value', type: 'gate_session.created' }]);
      await scene.minutes(1);
      scene.begins();
      // A process learns of consumers within seconds, and announces later orders to them.
      const orders = async (): Promise<false> => {
        for (let count = 0; count < 40; count += 1) {
          await shop.order();
          await pause(200);
        }
        await shop.advance(61);
        return false;
      };
      const isRaised = scene.raised('consumer_missing').then(() => true);
      while (!(await Promise.race([isRaised, orders()])));
    },
  },
];

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
