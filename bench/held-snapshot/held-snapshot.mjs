import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../tests/services/postgres.ts';
import { compare } from '../lib/compare.mjs';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { startReferenceServer } from '../lib/reference-server.mjs';
import { startServer } from '../lib/server.mjs';
import { PARTNER } from '../servers/gate.mjs';

/**
 * Deliveries per second while a transaction holds its snapshot, against the same without one. No row that was delivered since then can be
 * vacuumed; `passed` rows are, which stand for the deliveries of the hours before.
 */
export async function benchHeldSnapshot({ rounds, deliveries, passed }) {
  const postgres = await startPostgres({ tuning: TUNING });
  try {
    return [
      await compare({
        title: `Deliveries while a snapshot is held over ${passed} deliveries, against none held`,
        rounds,
        atLeast: 0.8,
        aim: 1,
        baseline: () => drain(postgres, { deliveries, passed, isHeld: false }),
        ours: () => drain(postgres, { deliveries, passed, isHeld: true }),
      }),
    ];
  } finally {
    await postgres.stop();
  }
}

async function drain(postgres, { deliveries, passed, isHeld }) {
  const database = await newDatabase(postgres.url);
  const filled = await startServer('fill-gate.mjs', { BENCH_DATABASE_URL: database, BENCH_COUNT: String(deliveries) });
  await filled.stop();
  const [client, holder] = [new pg.Client(database), new pg.Client(database)];
  await Promise.all([client.connect(), holder.connect()]);
  try {
    if (isHeld)
      await holder.query('begin isolation level repeatable read; select from gateramp.delivery_queue limit 1');
    await passThrough(client, passed);
    return await delivered(database, deliveries);
  } finally {
    await Promise.all([client.end(), holder.end()]);
  }
}

async function delivered(database, deliveries) {
  const receiver = await startServer('receiver.mjs');
  try {
    const worker = await startReferenceServer(
      { DATABASE_URL: database, GATE_ROLE: 'worker', GATE_ALLOW_PRIVATE_WEBHOOKS: 'on' },
      { webhookUrl: `http://127.0.0.1:${receiver.port}/` },
    );
    try {
      for (;;) {
        const { count, firstAt, lastAt } = await worker.whileRunning(receiver.ask());
        if (count >= deliveries) return { perSecond: (count - 1) / ((lastAt - firstAt) / 1000), p99: 0 };
        await wait(50);
      }
    } finally {
      await worker.stop();
    }
  } finally {
    await receiver.stop();
  }
}

/** Rows that were due before all others, and have been delivered. */
async function passThrough(client, passed) {
  await client.query(
    `insert into gateramp.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
     select 'passed-' || n, $1, 'test', 'first', $1 || '/test/webhook', 'passed', n, 0 from generate_series(1, $2::int) as n`,
    [PARTNER.id, passed],
  );
  await client.query("delete from gateramp.delivery_queue where event_id = 'passed'");
  await client.query('vacuum (analyze) gateramp.delivery_queue');
}
