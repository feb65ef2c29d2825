import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { childEnd } from './child-end.mjs';
import { MASTER_KEY, PARTNER, SECRET_KEY, WEBHOOK_SECRET } from '../servers/gate.mjs';

const SERVER = fileURLToPath(new URL('../../apps/reference-server/dist/main.js', import.meta.url));

const PORTS = Object.fromEntries(
  ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'DEMO', 'OPS', 'CONSOLE'].map((name) => [
    `GATE_${name}_PORT`,
    '0',
  ]),
);

/**
 * Starts the reference server with its default settings: it logs to a file, counts metrics, and applies rate limits to every
 * request. The load has enough client addresses to stay within them, which a trusted proxy forwards.
 *
 * @param {Record<string, string>} env its settings; DATABASE_URL is required
 * @param {{ webhookUrl?: string, others?: readonly object[] }} options the partner's webhook URL, and further partners of
 *   the seed file
 */
export async function startReferenceServer(env, { webhookUrl = 'https://shop.example/hooks', others = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-bench-'));
  const seed = join(folder, 'seed.json');
  writeFileSync(seed, JSON.stringify({ partners: [partner(webhookUrl), ...others] }));
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=64', ...(process.env.BENCH_NODE_ARGS?.split(' ') ?? []), SERVER],
    {
      stdio: ['ignore', 'pipe', log],
      env: {
        ...process.env,
        ...PORTS,
        GATE_MASTER_KEY: MASTER_KEY.toString('base64'),
        GATE_SEED_FILE: seed,
        GATE_TRUSTED_PROXIES: 'loopback',
        ...env,
      },
    },
  );
  closeSync(log);
  const { ended, whileRunning } = childEnd(child, 'The reference server');
  const origins = await whileRunning(readyLine(child));
  return {
    pid: child.pid,
    port: origins.sandbox === null ? 0 : Number(new URL(origins.sandbox).port),
    origins,
    whileRunning,
    stop: async () => {
      child.kill(process.env.BENCH_NODE_ARGS ? 'SIGTERM' : 'SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readyLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error('The server said nothing.');
}

function partner(webhookUrl) {
  return {
    id: PARTNER.id,
    name: PARTNER.name,
    allowed_origins: PARTNER.allowedOrigins,
    test: { secret_keys: [SECRET_KEY], webhook_url: webhookUrl, webhook_secret: WEBHOOK_SECRET },
  };
}
