import { setTimeout as wait } from 'node:timers/promises';
import { newDatabase } from '../lib/databases.mjs';
import { post } from '../lib/post.mjs';
import { startReferenceServer } from '../lib/reference-server.mjs';
import { startServer } from '../lib/server.mjs';
import { createdAt } from '../http/requests.mjs';

const EVENTS_A_SECOND = 200;
const P99_AT_MOST_MS = 25;

/**
 * How long after a create the webhook of it arrives, at 200 events a second. From the request's first byte, as neither side tells when its
 * commit was done: so the commit itself is in the figure, and the attempt began sooner than it says.
 */
export async function firstAttempts({ rounds, seconds, postgres, redis }) {
  const sides = [
    ['bare, two processes', bare],
    ['one process', ours(['all'], {})],
    ['api and worker, Postgres alone', ours(['api', 'worker'], {})],
    ['api and worker, with Redis', ours(['api', 'worker'], { REDIS_URL: redis.url })],
  ];
  const found = sides.map(() => []);
  // In turn, as what a shared machine gives changes within minutes.
  for (let round = 0; round < rounds; round += 1)
    for (const [nth, [, start]] of sides.entries()) found[nth].push(await delaysOf(start, postgres.url, 2 * seconds));
  const [bareRow, ...ownRows] = sides.map(([name], nth) => ({
    name,
    p50: at(0.5, found[nth]),
    p99: at(0.99, found[nth]),
  }));
  process.stdout.write(`     ${lineOf(bareRow)}\n`);
  return ownRows.map((row) => verdictOf(row, bareRow));
}

/** Of the rounds' own, the median. */
function at(share, rounds) {
  return median(rounds.map((delays) => [...delays].sort((a, b) => a - b)[Math.floor(delays.length * share)] ?? 0));
}

function lineOf({ name, p50, p99 }) {
  return `First attempt at ${EVENTS_A_SECOND}/s: ${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

function verdictOf(row, bareRow) {
  const passed = row.p99 <= P99_AT_MOST_MS;
  const times = `${(row.p50 / bareRow.p50).toFixed(2)} and ${(row.p99 / bareRow.p99).toFixed(2)} times the bare ones`;
  process.stdout.write(`${passed ? 'ok  ' : 'MISS'} ${lineOf(row)} (at most ${P99_AT_MOST_MS}) · ${times}\n`);
  return { title: `first attempt: ${row.name}`, p99: row.p99, passed };
}

async function delaysOf(start, url, seconds) {
  const receiver = await startServer('receiver.mjs');
  const servers = await start({ database: await newDatabase(url), webhookUrl: `http://127.0.0.1:${receiver.port}/` });
  try {
    await steadily(servers[0].port, 2);
    const before = (await receiver.ask()).count;
    const sent = await steadily(servers[0].port, seconds);
    return await arrived(receiver, before, sent);
  } finally {
    for (const server of servers) await server.stop();
    await receiver.stop();
  }
}

/** One request every five milliseconds, whether or not earlier ones have been answered. */
async function steadily(port, seconds) {
  const began = performance.now();
  const count = EVENTS_A_SECOND * seconds;
  const answers = [];
  for (let n = 0; n < count; n += 1) {
    const early = began + (1000 / EVENTS_A_SECOND) * n - performance.now();
    if (early > 0) await wait(early);
    answers.push(post(port, createdAt(performance.timeOrigin + performance.now())));
  }
  await Promise.all(answers);
  return count;
}

async function arrived(receiver, before, sent) {
  for (;;) {
    const { count, delays } = await receiver.ask();
    if (count >= before + sent) return delays.slice(before);
    await wait(50);
  }
}

async function bare({ database, webhookUrl }) {
  const env = { BENCH_DATABASE_URL: database, BENCH_RECEIVER: webhookUrl };
  const api = await startServer('bare-postgres.mjs', env);
  const worker = await startServer('deliver-bare.mjs', env);
  worker.go();
  return [api, worker];
}

function ours(roles, env) {
  return async ({ database, webhookUrl }) => {
    const servers = [];
    for (const GATE_ROLE of roles) {
      servers.push(
        await startReferenceServer(
          { DATABASE_URL: database, GATE_ROLE, GATE_ALLOW_PRIVATE_WEBHOOKS: 'on', ...env },
          { webhookUrl },
        ),
      );
    }
    return servers;
  };
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
