import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg, { type Client } from 'pg';
import { postgresKind } from '../services/postgres-binaries.js';
import { startPostgres, type TestPostgres } from '../services/postgres.js';
import { startRedis, type TestRedis } from '../services/redis.js';
import type { PhasedExit, PhaseName } from './audit/facts.js';
import type { Form } from './forms.js';
import { cuttingProxy, type CuttingProxy } from './lib/cutting-proxy.js';
import { freePort } from '../services/ports.js';
import { startHelper, type Helper } from './lib/helper-process.js';
import type { Orders } from './lib/orders.js';
import { serverBundle } from './lib/server-bundle.js';
import { supervised, type Supervised } from './lib/supervised.js';
import { officeOf, partnerOf, type OfficePartner, type Partner } from './partners.js';

const partnersCount = 2;

export interface World {
  readonly folder: string;
  readonly script: string;
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
  readonly proxy: CuttingProxy;
  /** Partners that shoppers buy from. */
  readonly partners: readonly Partner[];
  readonly office: OfficePartner;
  readonly seedFile: string;
  readonly receiverPort: number;
  readonly apiPorts: readonly number[];
  readonly origins: readonly string[];
  /** The origin of the checkout of each of these servers. */
  readonly checkouts: readonly string[];
  readonly poolsPorts: readonly number[];
  readonly masterKey: string;
  readonly exits: PhasedExit[];
  /** The number of faults of each kind. */
  readonly counts: Record<string, number>;
  phase: PhaseName | 'start' | 'quiet';
  api: Supervised[];
  workers: Supervised[];
  readonly helpers: Helper[];
  /** Runs one of processes/*.ts until it ends or the world is closed. */
  readonly help: <Name extends keyof Orders>(name: Name, orders: Orders[Name]) => Promise<Helper>;
  readonly count: (kind: string) => void;
  readonly close: (keepsLogs: boolean) => Promise<void>;
}

/** How the servers of a phase are connected. */
export interface Connections {
  readonly throughProxy: boolean;
  readonly withRedis: boolean;
}

/** What a run keeps across its phases: services, partners, the log folder and counts. Loopback only. */
export async function openWorld(form: Form): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-chaos-'));
  const [proxyPort, receiverPort] = [await freePort(), await freePort()];
  const apiPorts: number[] = [];
  const poolsPorts: number[] = [];
  const checkoutPorts: number[] = [];
  for (let index = 0; index < form.processes.api; index += 1) {
    apiPorts.push(await freePort());
    poolsPorts.push(await freePort());
    checkoutPorts.push(await freePort());
  }
  const script = await serverBundle();
  const postgres = await startPostgres({
    kind: form.postgres ?? postgresKind(),
    tuning: { recovery_init_sync_method: 'syncfs' },
  });
  const redis = await startRedis();
  const proxy = await cuttingProxy({ port: proxyPort, targetPort: postgres.port });
  const partners = Array.from({ length: partnersCount }, (_, index) => partnerOf(index, receiverPort));
  const office = officeOf(partnersCount, receiverPort);
  const seedFile = join(folder, 'seed.json');
  writeFileSync(seedFile, JSON.stringify({ partners: [...partners, office].map(({ seed }) => seed) }));
  const counts: World['counts'] = {};
  const world: World = {
    folder,
    script,
    postgres,
    redis,
    proxy,
    partners,
    office,
    seedFile,
    receiverPort,
    apiPorts,
    poolsPorts,
    exits: [],
    counts,
    masterKey: randomBytes(32).toString('base64'),
    origins: apiPorts.map((port) => `http://127.0.0.1:${port}`),
    checkouts: checkoutPorts.map((port) => `http://127.0.0.1:${port}`),
    phase: 'start',
    api: [],
    workers: [],
    helpers: [],
    help: async (name, orders) => {
      const helper = await startHelper(name, orders);
      world.helpers.push(helper);
      return helper;
    },
    count: (kind) => {
      counts[kind] = (counts[kind] ?? 0) + 1;
    },
    close: async (keepsLogs) => {
      world.helpers.forEach(({ stop }) => stop());
      await stopServers(world, 'SIGKILL');
      await Promise.all([proxy.stop(), redis.stop(), postgres.stop()]);
      rmSync(script, { force: true });
      if (!keepsLogs) rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/**
 * The reference server's processes for a phase. Those of the previous phase are drained and replaced, API
 * processes one at a time.
 */
export async function startServers(world: World, form: Form, { throughProxy, withRedis }: Connections): Promise<void> {
  const databaseUrl = throughProxy
    ? world.postgres.url.replace(`:${world.postgres.port}/`, `:${world.proxy.port}/`)
    : world.postgres.url;
  const shared = {
    GATE_LOG: 'json',
    GATE_RATE_LIMITS: 'off',
    GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
    GATE_LIVE_SANDBOX: 'on',
    GATE_SEED_FILE: world.seedFile,
    GATE_MASTER_KEY: world.masterKey,
    ...Object.fromEntries(
      ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'DEMO', 'OPS', 'CONSOLE'].map((name) => [
        `GATE_${name}_PORT`,
        '0',
      ]),
    ),
    DATABASE_URL: databaseUrl,
    ...(withRedis ? { REDIS_URL: world.redis.url } : {}),
  };
  const start = (name: string, env: NodeJS.ProcessEnv): Supervised =>
    supervised({
      name,
      script: world.script,
      env: { ...shared, ...env },
      logPath: join(world.folder, `${name}.log`),
      onExit: (exit) => world.exits.push({ ...exit, phase: world.phase, at: Date.now() }),
    });
  const replace = async (list: Supervised[], index: number, name: string, env: NodeJS.ProcessEnv): Promise<void> => {
    await list[index]?.stop('SIGTERM');
    const next = start(name, env);
    list[index] = next;
    await next.ready();
  };
  const replaceApi = async (): Promise<void> => {
    for (const [index, port] of world.apiPorts.entries())
      await replace(world.api, index, `api-${index + 1}`, {
        GATE_ROLE: 'api',
        GATE_SANDBOX_PORT: String(port),
        GATE_SANDBOX_WIDGET_PORT: new URL(world.checkouts[index] ?? '').port,
        GATE_POOLS_PORT: String(world.poolsPorts[index]),
      });
  };
  const workers = Array.from({ length: form.processes.worker }, (_, index) =>
    replace(world.workers, index, `worker-${index + 1}`, { GATE_ROLE: 'worker' }),
  );
  await Promise.all([replaceApi(), ...workers]);
}

export async function stopServers(world: World, signal: NodeJS.Signals): Promise<void> {
  await Promise.all([...world.api, ...world.workers].map(({ stop }) => stop(signal)));
  world.api = [];
  world.workers = [];
}

/**
 * The provider's own log, written by triggers of the database: each write of the sandbox provider adds a line that the engine
 * cannot remove.
 */
export async function keepProviderLog(world: World): Promise<void> {
  await withClient(world, (client) =>
    client.query(`
      create schema chaos;
      create table chaos.provider_log (line bigserial primary key, at timestamptz not null default clock_timestamp(), operation_id text, step text, operation json);
      create function chaos.keep() returns trigger language plpgsql as $$
      begin
        insert into chaos.provider_log (operation_id, step, operation) values (new.operation_id, new.operation #>> '{state,step}', new.operation);
        return null;
      end $$;
      create trigger keep after insert or update on gateramp.sandbox_operations for each row execute function chaos.keep();
    `),
  );
}

/**
 * Makes waiting attempts to the office's endpoint due at once, as if hours had passed, so that webhooks use up their five
 * attempts within a short run.
 */
export async function hasten(world: World): Promise<void> {
  const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
  await withClient(world, (client) =>
    client.query(
      `update gateramp.delivery_queue set due_at = ${now} where partner_id = $1 and lane = 'retry' and due_at > ${now} and lease_token is null`,
      [world.office.seed.id],
    ),
  );
}

/** One connection straight to Postgres, for tools only. */
export async function withClient<Result>(
  world: { readonly postgres: { readonly url: string } },
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: world.postgres.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
