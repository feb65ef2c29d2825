import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { webhooks } from '../../sdks/node/src/index.js';
import { npm } from '../../tools/lib/npm.mjs';
import { root } from '../../tools/lib/workspaces.mjs';
import { buyFrom } from '../examples/purchase.js';
import { freePort } from '../services/ports.js';
import { runNode } from './project.js';
import { said, serverWith, start } from './server.js';
import type { Tarball } from './tarballs.js';

/** Not in our lock file, because it has 340 MB with its compiler. */
export const NEXT_VERSION = '16.4.6';

const EXAMPLE = join(root, 'examples/nextjs-route');
const NEXT = 'node_modules/next/dist/bin/next';
/** Disables its telemetry. */
const QUIET = { NEXT_TELEMETRY_DISABLED: '1' };

/** The example as a separate app: Next.js, React, and the packed Node SDK. */
export async function installNext(folder: string, tarballs: readonly Tarball[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const part of ['app', 'lib']) cpSync(join(EXAMPLE, part), join(folder, part), { recursive: true });
  const sdk = tarballs.find(({ name }) => name === '@gateramp/sdk-node');
  const dependencies = {
    ...{ next: NEXT_VERSION, '@gateramp/sdk-node': `file:${sdk?.file ?? ''}` },
    ...Object.fromEntries(['react', 'react-dom', 'typescript', '@types/react', '@types/node'].map(locked)),
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', private: true, dependencies }));
  const options = ['--prefer-offline', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  await npm(['install', ...options, '--loglevel=error'], folder);
}

const locked = (name: string): [string, string] => {
  const manifest = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
  return [name, (JSON.parse(manifest) as { version: string }).version];
};

/** Builds it for production, with type checks. */
export const buildNext = (folder: string): Promise<void> => runNode(process.execPath, folder, [NEXT, 'build'], QUIET);

interface Seed {
  readonly partners: readonly [
    { readonly test: { readonly secret_keys: readonly [string]; readonly webhook_secret: string } },
  ];
}

/** Starts it, buys from it, and checks that it accepts only the signed bytes. */
export async function buyFromNext(folder: string): Promise<void> {
  const port = await freePort();
  const shop = `http://127.0.0.1:${port}`;
  const seedText = readFileSync(join(root, 'examples/seed.json'), 'utf8').replaceAll(':3000', `:${port}`);
  const seed = JSON.parse(seedText) as Seed;
  const { secret_keys, webhook_secret: secret } = seed.partners[0].test;
  const server = await serverWith(seed);
  const env = { ...QUIET, SHOP_URL: shop, GATE_BASE_URL: server.sandbox, GATE_CHECKOUT_URL: server.sandbox_widget };
  const next = start(process.execPath, [NEXT, 'start', '-H', '127.0.0.1', '-p', String(port)], folder, env);
  try {
    await said(next, /Ready in/);
    await buyFrom({ shop, api: server.sandbox, secretKey: secret_keys[0] });
    await deliver(`${shop}/hooks`, secret);
  } finally {
    next.kill('SIGKILL');
    server.close();
  }
}

/** Formatted unlike the output of JSON.stringify, so that a body that was parsed and rendered again does not verify. */
const BODY = '{ "id": "e1", "type": "webhook.test",\n "data": {"name":"Žofie"} }';

async function deliver(url: string, secret: string): Promise<void> {
  const signature = webhooks.generateTestHeader({ payload: BODY, secret });
  const post = async (body: string): Promise<readonly [number, unknown]> => {
    const headers = { 'content-type': 'application/json', 'gate-signature': signature };
    const answer = await fetch(url, { method: 'POST', headers, body });
    return [answer.status, await answer.json()];
  };
  assert.deepEqual(await post(BODY), [200, { received: true }]);
  assert.deepEqual(await post(BODY), [200, { received: true, duplicate: true }]);
  assert.equal((await post(BODY.replace('\n', '')))[0], 400);
}
