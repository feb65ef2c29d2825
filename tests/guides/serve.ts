import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSeed, type Seed } from '../../apps/reference-server/src/seed/seed-file.js';
import { readConfig } from '../../apps/reference-server/src/config/config.js';
import { demoSeed } from '../../apps/reference-server/src/demo/demo-partner.js';
import { openLog } from '../../apps/reference-server/src/log.js';
import { startServer } from '../../apps/reference-server/src/server.js';
import { root } from '../../tools/lib/workspaces.mjs';
import { freePort } from '../services/ports.js';

const NAMES = ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'OPS', 'CONSOLE', 'DEMO'];

/** How `docs/guides/README.md` has its reader start the server: with `npm start`, or with the seed file as well. */
export type Start = 'npm start' | 'seed file';

export interface Served {
  /** The ports of this run. Keys and secrets are not set, so those of the page's setup must be the server's. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The reference server in this process, in memory, with the partner of that start. Only its ports differ. */
export async function serve(start: Start): Promise<Served> {
  const ports = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await freePort()] as const)));
  const webhookPort = await freePort();
  const variables = Object.entries(ports).map(([name, port]) => [`GATE_${name}_PORT`, String(port)] as const);
  const config = readConfig({ ...Object.fromEntries(variables), GATE_LOG: 'silent' }, { isTerminal: false });
  const seed =
    start === 'npm start'
      ? receivingAt(demoSeed('http://127.0.0.1:4240'), 4240, ports['DEMO'])
      : receivingAt(seedOfGuides(), 4250, webhookPort);
  const server = await startServer({ ...config, seed }, await openLog('silent'));
  const { sandbox, live, pools } = server.origins;
  if (sandbox === undefined || live === undefined || pools === undefined) throw new Error('A host is missing.');
  return {
    env: { GATE_URL: sandbox, GATE_LIVE_URL: live, GATE_POOLS_URL: pools, WEBHOOK_PORT: String(webhookPort) },
    close: async () => void (await server.drain()),
  };
}

function seedOfGuides(): Seed {
  const { seed, problems } = readSeed(readFileSync(join(root, 'docs/guides/seed.json'), 'utf8'));
  if (seed === null) throw new Error(problems.join('\n'));
  return seed;
}

/** The seed with webhooks to the port of this run instead of the documented one. */
function receivingAt(seed: Seed, documented: number, port: number | undefined): Seed {
  const partners = seed.partners.map((partner) => {
    if (partner.test.webhook_url !== `http://127.0.0.1:${documented}/hooks`)
      throw new Error(`The webhooks of ${partner.name} do not go to port ${documented}.`);
    return { ...partner, test: { ...partner.test, webhook_url: `http://127.0.0.1:${port}/hooks` } };
  });
  return { partners };
}
