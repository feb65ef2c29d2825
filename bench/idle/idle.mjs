import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres } from '../../tests/services/postgres.ts';
import { startRedis } from '../../tests/services/redis.ts';

const AT_MOST = 10;
const AIM = 2;
const SERVER = fileURLToPath(new URL('../../apps/reference-server/dist/main.js', import.meta.url));

/** The statements per second that an idle process of the reference server sends to Postgres. */
export async function benchIdle({ seconds }) {
  const postgres = await startPostgres({ settings: { autovacuum: 'off' } });
  const redis = await startRedis();
  try {
    const rows = [];
    for (const role of ['api', 'worker']) {
      for (const [beside, env] of [
        ['Postgres alone', {}],
        ['Postgres and Redis', { REDIS_URL: redis.url }],
      ]) {
        rows.push(
          row(
            `Idle: ${role}, ${beside}`,
            await statementsASecond(postgres.url, { GATE_ROLE: role, ...env }, 5 * seconds),
          ),
        );
      }
    }
    return rows;
  } finally {
    await redis.stop();
    await postgres.stop();
  }
}

function row(title, perSecond) {
  const passed = perSecond <= AT_MOST;
  process.stdout.write(
    `${passed ? 'ok  ' : 'MISS'} ${title}: ${perSecond.toFixed(1)} statements a second (at most ${AT_MOST}, aim ${AIM})\n`,
  );
  return { title, perSecond, passed };
}

async function statementsASecond(url, env, seconds) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const server = spawn(process.execPath, [SERVER], {
    stdio: 'ignore',
    env: { ...process.env, DATABASE_URL: url, ...PORTS, GATE_MASTER_KEY, ...env },
  });
  const ended = once(server, 'exit');
  try {
    // Excludes the statements of the start.
    await wait(8_000);
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    const before = await transactions(client);
    await wait(seconds * 1000);
    // One of them is the first query of the count.
    return ((await transactions(client)) - before - 1) / seconds;
  } finally {
    server.kill('SIGTERM');
    await ended;
    await client.end();
  }
}

/** The number of transactions, one per statement. Sessions report their counts when they become idle or once per second. */
async function transactions(client) {
  await wait(1_500);
  const { rows } = await client.query(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0].count);
}

const PORTS = Object.fromEntries(
  ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'DEMO', 'OPS', 'CONSOLE'].map((name) => [
    `GATE_${name}_PORT`,
    '0',
  ]),
);

// A test key.
const GATE_MASTER_KEY = createHash('sha256').update('benchmarks').digest('base64');
