import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

import { call, eventually } from '../../apps/reference-server/test/ask.js';
import { root } from '../../tools/lib/workspaces.mjs';
import { freePort } from '../services/ports.js';
import { keep, type Pinned } from './kept.js';
import { said, serverWith, start } from './server.js';

/** A runtime other than Node, with Fetch and Web Crypto. */
export interface Runtime {
  readonly title: string;
  readonly packaged: Pinned;
  /** The command, given the folders of the package and of the programs. */
  command(home: string, programs: string): Promise<readonly [program: string, ...args: string[]]>;
}

const BUN: Pinned = { name: `@oven/bun-${process.platform}-${bunArch()}`, version: '1.4.5' };
const DENO: Pinned = { name: `@deno/${process.platform}-${process.arch}${denoLibc()}`, version: '2.9.6' };

export const RUNTIMES: readonly Runtime[] = [
  {
    title: `Bun ${BUN.version}`,
    packaged: BUN,
    command: async (home, programs) => [join(home, 'node_modules', BUN.name, 'bin/bun'), join(programs, 'bun.mjs')],
  },
  {
    title: `Deno ${DENO.version}`,
    packaged: DENO,
    // Permission to reach this machine and to read one setting: the SDK needs no more.
    command: async (home, programs) => [
      join(home, 'node_modules', DENO.name, 'deno'),
      ...['run', '--no-prompt', '--no-remote', '--allow-net=127.0.0.1', '--allow-env=SHOP', join(programs, 'deno.mjs')],
    ],
  },
  {
    title: 'an edge runtime',
    packaged: { name: 'edge-runtime', version: '4.0.1' },
    command: async (home, programs) => {
      const outfile = join(programs, 'edge.bundle.js');
      // An edge function is one script.
      await build({
        entryPoints: [join(programs, 'edge.mjs')],
        outfile,
        bundle: true,
        format: 'iife',
        platform: 'neutral',
      });
      return [process.execPath, join(programs, 'serve-edge.cjs'), home, outfile];
    },
  },
];

/** The names of processors in package names. */
function bunArch(): string {
  return process.arch === 'arm64' ? 'aarch64' : process.arch;
}

function denoLibc(): string {
  return process.platform === 'linux' ? '-glibc' : '';
}

const SECRET_KEY = 'sk_test_runtimes_secret_key_00000000';
const WEBHOOK_SECRET = 'whsec_runtimes_signing_secret';

/** Runs a purchase and all signature vectors with the packed Node SDK on a runtime, against the reference server. */
export async function sellOn(runtime: Runtime, project: string): Promise<void> {
  const home = await keep(runtime.packaged);
  const [program, ...args] = await runtime.command(home, join(project, 'runtimes'));
  const port = await freePort();
  const server = await serverWith(seedFor(port));
  const world = { port, secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, baseUrl: server.sandbox };
  const shop = start(program, args, project, { SHOP: JSON.stringify(world) });
  try {
    await said(shop, /^open$/m);
    await buy(`http://127.0.0.1:${port}`, server.sandbox);
  } finally {
    shop.kill('SIGKILL');
    server.close();
  }
}

const seedFor = (port: number): object => ({
  partners: [
    {
      id: 'runtimes',
      name: 'A shop without Node',
      allowed_origins: ['https://shop.example'],
      test: {
        secret_keys: [SECRET_KEY],
        webhook_url: `http://127.0.0.1:${port}/hooks`,
        webhook_secret: WEBHOOK_SECRET,
      },
    },
  ],
});

async function buy(shop: string, api: string): Promise<void> {
  const sold = await call(`${shop}/sessions`, {}, {});
  assert.match(String(sold.json['client_secret']), /^gsec_[0-9a-f]{24}_/);
  await call(`${shop}/sessions`, {}, {});
  const { json: ids } = await call(`${shop}/sessions`);
  assert.equal(Object.keys(ids).length, 2);

  const { json: refusal } = await call(`${shop}/refusal`);
  assert.match(String(refusal['requestId']), /^req_/);
  assert.deepEqual(
    { ...refusal, requestId: null },
    { isOurs: true, name: 'NotFoundError', status: 404, requestId: null },
  );

  const key = { authorization: `Bearer ${SECRET_KEY}` };
  const simulate = `${api}/v1/test_helpers/gate_sessions/${String(sold.json['id'])}/simulate`;
  const { json: intent } = await call(simulate, key, { scenario: 'succeed' });
  const refid = await eventually(async () => (await call(`${shop}/paid`)).json[String(sold.json['id'])]);
  assert.equal(refid, intent['tx_refid']);

  const forged = await call(`${shop}/hooks`, { 'gate-signature': 't=1,v1=0' }, { type: 'gate_session.completed' });
  assert.equal(forged.status, 400);
  const { vectors } = JSON.parse(readFileSync(join(root, 'spec/signature-vectors.json'), 'utf8')) as Vectors;
  const { json: reasons } = await call(`${shop}/vectors`, {}, vectors);
  assert.deepEqual(
    reasons,
    vectors.map(({ reason }) => reason),
  );
}

interface Vectors {
  readonly vectors: readonly { readonly reason: string | null }[];
}
