import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readyServer, type ReadyServer } from '../../apps/reference-server/test/running-server.js';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

interface Seed {
  readonly partners: readonly [
    {
      readonly test: {
        readonly secret_keys: readonly [string];
        readonly publishable_keys: readonly [string];
        readonly webhook_secret: string;
      };
    },
  ];
}

const seedText = readFileSync(join(REPOSITORY, 'examples/seed.json'), 'utf8');
export const { secret_keys, publishable_keys, webhook_secret } = (JSON.parse(seedText) as Seed).partners[0].test;

/** A reference server with the seed of the examples, whose shop listens on `shopPort` instead of 3000. */
export async function serverFor(shopPort: number): Promise<ReadyServer> {
  const seed = join(mkdtempSync(join(tmpdir(), 'gate-examples-')), 'seed.json');
  writeFileSync(seed, seedText.replaceAll(':3000', `:${shopPort}`));
  return readyServer({ GATE_SEED_FILE: seed, GATE_RATE_LIMITS: 'off' });
}

export interface Shop {
  readonly url: string;
  readonly process: ChildProcess;
}

/** Starts a shop as its README does, and waits until it says that it is open. */
export function openShop(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Shop> {
  const env = { PATH: process.env['PATH'], ...environment };
  const shop = spawn(program, args, { cwd: REPOSITORY, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  return new Promise((resolve, reject) => {
    const listen = (text: Buffer): void => {
      said += text.toString();
      const open = /^The shop is open: (\S+)$/m.exec(said);
      if (open?.[1] !== undefined) resolve({ url: open[1], process: shop });
    };
    shop.stdout.on('data', listen);
    shop.stderr.on('data', listen);
    shop.on('error', reject);
    shop.on('exit', () => reject(new Error(`The shop ended before it was open:\n${said}`)));
  });
}
