import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startPostgres } from '../../tests/services/postgres.ts';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { startReferenceServer } from '../lib/reference-server.mjs';
import { SECRET_KEY } from '../servers/gate.mjs';

const CROWD = fileURLToPath(new URL('./crowd.mjs', import.meta.url));
const run = promisify(execFile);

const NEIGHBOUR_KEY = 'sk_test_0000000000000000neighbour';
const NEIGHBOUR = {
  id: '65f0c0ffee65f0c0ffee0002',
  name: 'Neighbour',
  allowed_origins: ['https://shop.example'],
  test: { secret_keys: [NEIGHBOUR_KEY] },
};

const CROWD_CONNECTIONS = 256;
const OVERLOAD_FACTOR = 10;
/** The limit of a partner's p50 next to another one with 256 connections, relative to its p50 alone. */
const NEIGHBOUR_RATIO_MAX = 3;
const OVERLOAD_P99_MAX_MS = 1_000;

/** Measures the effect of one partner's load on another, and the behaviour at ten times the capacity of a process. */
export async function benchOverload({ seconds }) {
  const postgres = await startPostgres({ tuning: TUNING });
  try {
    const DATABASE_URL = await newDatabase(postgres.url);
    const server = await startReferenceServer({ DATABASE_URL, GATE_RATE_LIMITS: 'off' }, { others: [NEIGHBOUR] });
    try {
      const crowd = (load) => crowdOf({ port: server.port, key: SECRET_KEY, connections: CROWD_CONNECTIONS, ...load });
      const neighbour = () => crowdOf({ port: server.port, key: NEIGHBOUR_KEY, connections: 1, seconds });
      await crowd({ seconds: 5 });
      const alone = await neighbour();
      const crowded = crowd({ seconds: seconds + 3 });
      await setTimeout(1_500);
      const [beside, busy] = [await neighbour(), await crowded];
      const perSecond = Math.ceil(busy.perSecond * OVERLOAD_FACTOR);
      const overloaded = await crowd({ connections: 2_000, perSecond, seconds });
      process.stdout.write(`     ${JSON.stringify({ alone, beside, busy, overloaded })}\n`);
      return [
        row(`a partner next to another with ${CROWD_CONNECTIONS} connections, p50 as a multiple of its own alone`, {
          value: beside.p50 / alone.p50,
          atMost: NEIGHBOUR_RATIO_MAX,
        }),
        row(`${OVERLOAD_FACTOR} × load: p99 of accepted requests, ms`, {
          value: overloaded.p99,
          atMost: OVERLOAD_P99_MAX_MS,
        }),
        row(`${OVERLOAD_FACTOR} × load: requests without an answer`, { value: overloaded.unanswered, atMost: 0 }),
      ];
    } finally {
      await server.stop();
    }
  } finally {
    await postgres.stop();
  }
}

async function crowdOf(load) {
  const { stdout, stderr } = await run(process.execPath, [CROWD, JSON.stringify(load)]);
  process.stderr.write(stderr);
  return JSON.parse(stdout);
}

function row(title, { value, atMost }) {
  const passed = value <= atMost;
  process.stdout.write(`${passed ? 'ok  ' : 'MISS'} ${title}: ${value.toFixed(2)} (at most ${atMost})\n`);
  return { title, passed };
}
