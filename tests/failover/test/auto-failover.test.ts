import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MASTER_KEY } from '../../../apps/reference-server/test/master-keys.js';
import { readyServer, type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { startAutoFailover, type AutoFailover, type FailoverNode } from '../../services/auto-failover.js';
import { startBuyers } from '../buyers.js';

const BUYERS = 4;
const CREATED_EACH = 60;
/** Only ends what hangs. */
const WAIT_MS = 360_000;

async function query<Row extends pg.QueryResultRow>({ port }: FailoverNode, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'gate' });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** As docs/operating.md recommends. With the defaults, commits went on after 52 s. */
const MONITOR = {
  'pgautofailover.health_check_period': '1s',
  'pgautofailover.health_check_timeout': '2s',
  'pgautofailover.health_check_retry_delay': '500ms',
  'pgautofailover.node_considered_unhealthy_timeout': '5s',
  'pgautofailover.primary_demote_timeout': '10s',
};

/** The roles once they are settled: the monitor may have replaced a primary that the machine kept waiting. */
async function rolesIn({ nodes: [first, second], states }: AutoFailover) {
  const roles = { primary: first, secondary: second };
  await until(async () => {
    const known = await states();
    [roles.primary, roles.secondary] = known['second'] === 'primary' ? [second, first] : [first, second];
    return known[roles.primary.name] === 'primary' && known[roles.secondary.name] === 'secondary';
  });
  return roles;
}

const until = (claim: () => boolean | Promise<boolean>): Promise<void> =>
  expect.poll(claim, { timeout: WAIT_MS, interval: 100 }).toBe(true);

describe('two nodes of pg_auto_failover', { timeout: 1_200_000 }, () => {
  let cluster: AutoFailover;
  let server: ReadyServer;
  let killed: FailoverNode;
  beforeAll(async () => {
    cluster = await startAutoFailover(MONITOR);
    const places = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    server = await readyServer({
      DATABASE_URL: `postgres://postgres@${places}/gate?target_session_attrs=read-write`,
      GATE_MASTER_KEY: MASTER_KEY,
      GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
      GATE_RATE_LIMITS: 'off',
    });
  });
  afterAll(async () => {
    server?.process.kill('SIGKILL');
    await cluster?.stop();
  });

  it('lose nothing acknowledged when the primary dies under load, without an operator', async () => {
    const { primary, secondary } = await rolesIn(cluster);
    const seen = startBuyers(server, { buyers: BUYERS, each: CREATED_EACH });
    await until(() => seen.acknowledged.size > 40);
    const before = seen.acknowledged.size;
    const killedAt = performance.now();
    await primary.kill();
    // Requests in flight may still be acknowledged by it: each buyer has one.
    await until(() => seen.acknowledged.size > before + BUYERS);
    const seconds = (performance.now() - killedAt) / 1_000;
    process.stdout.write(`pg_auto_failover: commits again ${seconds.toFixed(1)} s after the primary was killed\n`);
    await seen.done;

    expect(seen.unknown).toBeGreaterThan(0);
    const sessions = await query<{ id: string }>(secondary, 'select id from gateramp.sessions');
    expect(sessions.map(({ id }) => id).toSorted()).toEqual([...seen.acknowledged.values()].toSorted());
    killed = primary;
    const delivered = "select count(*)::int as many from gateramp.deliveries where status = 'delivered'";
    await until(async () => (await query<{ many: number }>(secondary, delivered))[0]?.many === BUYERS * CREATED_EACH);
  });

  it('are two again when the old primary comes back: it follows the new one', async () => {
    const [first, second] = cluster.nodes;
    const survivor = killed === first ? second : first;
    killed.start();
    await until(async () => {
      const states = await cluster.states();
      return states[killed.name] === 'secondary' && states[survivor.name] === 'primary';
    });
    const count = 'select count(*)::int as many from gateramp.sessions';
    await until(async () => {
      const [old, current] = await Promise.all([
        query<{ many: number }>(killed, count),
        query<{ many: number }>(survivor, count),
      ]);
      return old[0]?.many === current[0]?.many;
    });
  });
});
