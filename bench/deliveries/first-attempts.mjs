import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../tests/services/postgres.ts';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { poster } from '../lib/post.mjs';
import { startReferenceServer } from '../lib/reference-server.mjs';
import { startServer } from '../lib/server.mjs';
import { stolenFromNow } from '../lib/stolen.mjs';
import { createdAt } from '../http/requests.mjs';

const EVENTS_A_SECOND = 200;
const P99_AT_MOST_MS = 25;
/** Long enough for V8 to compile both sides at this rate. The other benchmarks send more requests while they warm up. */
const WARM_UP_SECONDS = 15;

/**
 * Measures the time from the commit of a create to the arrival of its webhook, at 200 events per second. Postgres dates a
 * commit when its write begins, so the figure includes the wait for the disk. Also prints the time since the request was
 * sent, and the figures of newly started processes.
 */
export async function firstAttempts({ rounds, seconds, redis }) {
  const postgres = await startPostgres({ tuning: TUNING, settings: { track_commit_timestamp: 'on' } });
  const sides = [
    ['bare, two processes', bare, BARE_COMMITS],
    ['one process', ours(['all'], {}), OUR_COMMITS],
    ['api and worker, Postgres alone', ours(['api', 'worker'], {}), OUR_COMMITS],
    ['api and worker, with Redis', ours(['api', 'worker'], { REDIS_URL: redis.url }), OUR_COMMITS],
  ];
  const found = sides.map(() => []);
  try {
    // In turn, because the speed of a shared machine changes within minutes.
    for (let round = 0; round < rounds; round += 1)
      for (const [nth, [, start, commits]] of sides.entries())
        found[nth].push(await delaysOf(start, commits, postgres.url, 2 * seconds));
  } finally {
    await postgres.stop();
  }
  const [bareRow, ...ownRows] = sides.map(([name], nth) => rowOf(name, found[nth]));
  process.stdout.write(`     ${lineOf(bareRow)}\n`);
  return ownRows.map((row) => verdictOf(row, bareRow));
}

/** The commit time of each event in ms of the system clock. Events are never updated, so `xmin` is the transaction of the create. */
const commitsOf = (table) =>
  `select id::text, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at from ${table}`;
const BARE_COMMITS = commitsOf('bare.events');
const OUR_COMMITS = commitsOf('gateramp.events');

function rowOf(name, rounds) {
  const inTheMiddle = (share, phase, since) => median(rounds.map((found) => at(share, found[phase], since)));
  return {
    name,
    p50: inTheMiddle(0.5, 'warm', 'sinceCommit'),
    p99: inTheMiddle(0.99, 'warm', 'sinceCommit'),
    p99SinceRequest: inTheMiddle(0.99, 'warm', 'sinceRequest'),
    p99Started: inTheMiddle(0.99, 'justStarted', 'sinceCommit'),
    stolenShare: median(rounds.map((found) => found.stolenShare)),
  };
}

function at(share, delays, since) {
  const sorted = delays.map((delay) => delay[since]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

function lineOf({ name, p50, p99, p99SinceRequest, p99Started, stolenShare }) {
  const [middle, most, ofRequest, started] = [p50, p99, p99SinceRequest, p99Started].map((ms) => ms.toFixed(1));
  return `First attempt at ${EVENTS_A_SECOND}/s: ${name}: p50 ${middle} ms, p99 ${most} ms; since the request ${ofRequest}, just started ${started}; ${Math.round(stolenShare * 100)} % of the machine was stolen`;
}

function verdictOf(row, bareRow) {
  const passed = row.p99 <= P99_AT_MOST_MS;
  const times = `${(row.p50 / bareRow.p50).toFixed(2)} and ${(row.p99 / bareRow.p99).toFixed(2)} times the bare ones`;
  process.stdout.write(`${passed ? 'ok  ' : 'MISS'} ${lineOf(row)} (p99 at most ${P99_AT_MOST_MS}) · ${times}\n`);
  return { title: `first attempt: ${row.name}`, p99: row.p99, passed };
}

async function delaysOf(start, commits, url, seconds) {
  const receiver = await startServer('receiver.mjs');
  const database = await newDatabase(url);
  const servers = await start({ database, webhookUrl: `http://127.0.0.1:${receiver.port}/` });
  const post = poster(servers[0].port);
  try {
    const before = await steadily(post, WARM_UP_SECONDS);
    await untilArrived(receiver, servers, before);
    const stolen = stolenFromNow();
    const sent = await steadily(post, seconds);
    await untilArrived(receiver, servers, before + sent);
    const stolenShare = stolen() ?? 0;
    const { arrivals } = await receiver.ask('arrivals');
    const delays = await delaysSince(commits, database, arrivals);
    return { justStarted: delays.slice(0, before), warm: delays.slice(before), stolenShare };
  } finally {
    for (const server of servers) await server.stop();
    await receiver.stop();
  }
}

async function delaysSince(commits, database, arrivals) {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query(commits).finally(() => client.end());
  const committed = new Map(rows.map((row) => [row.id, row.at]));
  return arrivals.map(({ id, sentAt, arrivedAt }) => {
    const committedAt = committed.get(id);
    if (typeof committedAt !== 'number') throw new Error(`The commit time of event ${id} is unknown.`);
    return { sinceCommit: arrivedAt - committedAt, sinceRequest: arrivedAt - sentAt };
  });
}

/** Sends one request every five milliseconds, without waiting for earlier answers. */
async function steadily(post, seconds) {
  const began = performance.now();
  const count = EVENTS_A_SECOND * seconds;
  const answers = [];
  for (let n = 0; n < count; n += 1) {
    const early = began + (1000 / EVENTS_A_SECOND) * n - performance.now();
    if (early > 0) await wait(early);
    answers.push(post(createdAt(performance.timeOrigin + performance.now())));
  }
  await Promise.all(answers);
  return count;
}

async function untilArrived(receiver, servers, sent) {
  const count = () => servers.reduce((asked, server) => server.whileRunning(asked), receiver.ask());
  while ((await count()).count < sent) await wait(50);
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
