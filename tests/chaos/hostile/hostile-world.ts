import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { postgresKind } from '../../services/postgres-binaries.js';
import { startPostgres, type TestPostgres } from '../../services/postgres.js';
import { freePort } from '../../services/ports.js';
import { startHelper, type Helper } from '../lib/helper-process.js';
import { serverBundle } from '../lib/server-bundle.js';
import type { Orders } from '../lib/orders.js';
import type { HostileForm } from '../forms.js';
import { supervised, type Exit, type Supervised } from '../lib/supervised.js';
import { wayOf, type Way } from './ways.js';

export interface HostilePartner {
  readonly id: string;
  readonly secretKey: string;
  readonly returnUrl: string;
}

/** The number of its endpoint, and how it misbehaves. */
export type HostileReceiver = HostilePartner & { readonly way: Way; readonly endpoint: number };

export interface HostileWorld {
  readonly folder: string;
  readonly postgres: TestPostgres;
  readonly server: Supervised;
  readonly endpoints: Helper;
  readonly hostile: readonly HostileReceiver[];
  readonly healthy: HostilePartner;
  readonly healthyPort: number;
  readonly exits: Exit[];
  readonly origin: string;
  readonly help: <Name extends keyof Orders>(name: Name, orders: Orders[Name]) => Promise<Helper>;
  readonly close: (keepsLogs: boolean) => Promise<void>;
}

/**
 * One process that is both API and worker, so that receivers can affect everything it does; its own Postgres; the hostile
 * receivers in one process, and a healthy partner in another. Loopback only.
 */
export async function openHostileWorld(form: HostileForm): Promise<HostileWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-hostile-'));
  const [apiPort, healthyPort] = [await freePort(), await freePort()];
  const [script, postgres] = await Promise.all([
    serverBundle(),
    startPostgres({ kind: form.postgres ?? postgresKind() }),
  ]);
  const helpers: Helper[] = [];
  const help: HostileWorld['help'] = async (name, orders) => {
    const helper = await startHelper(name, orders);
    helpers.push(helper);
    return helper;
  };
  const ways = Array.from({ length: form.receivers }, (_, index) => wayOf(index));
  const endpoints = await help('hostile-endpoints', {
    ways,
    wave: { size: form.atOnce, ...form.gathering },
    yields: !form.isMachineShared,
    logPath: join(folder, 'hostile-endpoints.ndjson'),
  });
  const hostile = endpoints.ports.map((port, index) => ({
    ...partnerOf(`hostile${index}`, port),
    way: wayOf(index),
    endpoint: index,
  }));
  const healthy = partnerOf('healthy', healthyPort);
  const seedFile = join(folder, 'seed.json');
  writeFileSync(seedFile, JSON.stringify({ partners: [...hostile, healthy].map(({ seed }) => seed) }));
  const exits: Exit[] = [];
  const server = supervised({
    name: 'server',
    script,
    logPath: join(folder, 'server.log'),
    onExit: (exit) => exits.push(exit),
    env: {
      GATE_LOG: 'json',
      GATE_RATE_LIMITS: 'off',
      GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
      GATE_LIVE_SANDBOX: 'on',
      GATE_SEED_FILE: seedFile,
      DATABASE_URL: postgres.url,
      GATE_MASTER_KEY: randomBytes(32).toString('base64'),
      ...Object.fromEntries(
        ['LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'DEMO', 'OPS', 'CONSOLE'].map((name) => [
          `GATE_${name}_PORT`,
          '0',
        ]),
      ),
      GATE_SANDBOX_PORT: String(apiPort),
    },
  });
  return {
    folder,
    postgres,
    server,
    endpoints,
    hostile,
    healthy,
    exits,
    help,
    healthyPort,
    origin: `http://127.0.0.1:${apiPort}`,
    close: async (keepsLogs) => {
      helpers.forEach(({ stop }) => stop());
      await server.stop('SIGKILL');
      await postgres.stop();
      rmSync(script, { force: true });
      if (!keepsLogs) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With hundreds of receivers, each is a partner of its own, so that they share no limits. */
function partnerOf(name: string, port: number) {
  const secretKey = `sk_test_chaos_${name}_key`;
  const test = {
    secret_keys: [secretKey],
    webhook_url: `http://127.0.0.1:${port}/hooks`,
    webhook_secret: `whsec_${randomBytes(24).toString('hex')}`,
  };
  return {
    id: name,
    secretKey,
    returnUrl: `https://${name}.example/done`,
    seed: { id: name, name, allowed_origins: [`https://${name}.example`], test },
  };
}
