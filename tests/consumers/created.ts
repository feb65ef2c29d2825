import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { eventually } from '../../apps/reference-server/test/ask.js';
import { Gate, webhooks } from '../../sdks/node/src/index.js';
import { npm } from '../../tools/lib/npm.mjs';
import { PlainError } from '../../tools/lib/steps.mjs';
import { root } from '../../tools/lib/workspaces.mjs';
import { buyFrom, payOtherwise } from '../examples/purchase.js';
import { freePort } from '../services/ports.js';
import { NPM_OPTIONS, runNode, writeLock } from './project.js';
import { serverWith, start } from './server.js';

/** Creates a project with the packed `create-gateramp`, as npm does, and installs it from its own copies of the tarballs. */
export async function createApp(template: string, folder: string, packs: string): Promise<void> {
  const program = ['--yes', '--package', join(packs, 'create-gateramp.tgz'), '--', 'create-gateramp'];
  await npm(['exec', ...program, folder, '--template', template, '--packs', packs], packs);
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  writeLock(folder, JSON.parse(manifest) as { readonly name: string; readonly version: string });
  await npm(['install', ...NPM_OPTIONS], folder);
}

/** Runs a script of its `package.json`. */
export const runScript = async (folder: string, script: string): Promise<void> =>
  void (await npm(['run', script], folder));

/** A created shop, and the arguments with which Node runs it for development and deployed. */
export interface CreatedShop {
  readonly folder: string;
  readonly development: readonly string[];
  readonly deployed: readonly string[];
}

export function shopOnNode(folder: string): CreatedShop {
  const run = ['--import', 'tsx', 'src/server.ts'];
  return { folder, development: run, deployed: run };
}

const NEXT = 'node_modules/next/dist/bin/next';

export const shopOnNext = (folder: string): CreatedShop => ({
  folder,
  development: [NEXT, 'dev', '--hostname', '127.0.0.1'],
  deployed: [NEXT, 'start', '--hostname', '127.0.0.1'],
});

export const buildNext = (folder: string): Promise<void> => runNode(process.execPath, folder, [NEXT, 'build'], QUIET);

/** Disables the telemetry of Next.js. */
const QUIET = { NEXT_TELEMETRY_DISABLED: '1' };

/** Buys from the shop on its own gate in memory. */
export async function buyInMemory({ folder, development }: CreatedShop): Promise<void> {
  const shop = await openShop(folder, development, await freePort());
  try {
    const [, api = '', secretKey = ''] = await shop.says(/API: (\S+), key: (\w+)/);
    await buyFrom({ shop: shop.url, api, secretKey });
    assert.equal(grantsIn(folder), 1);
  } finally {
    shop.stop();
  }
}

/** The same by card, in the checkout that the shop's page mounts. */
export async function buyInBrowser({ folder, development }: CreatedShop): Promise<void> {
  const [{ chromium }, { startChromium }, { goThrough }] = await Promise.all([
    import('playwright-core'),
    import('../browser/start-chromium.js'),
    import('../browser/pay.js'),
  ]);
  const shop = await openShop(folder, development, await freePort());
  const { url: endpoint, stop } = await startChromium();
  try {
    const page = await (await chromium.connect(endpoint)).newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(shop.url);
    await page.getByRole('button', { name: 'Buy' }).click();
    await goThrough(page.frameLocator('iframe'), 'on_ramp');
    await page.waitForURL(`${shop.url}/orders/*`);
    await shop.says(/^Order \S+ is paid: send the mug\.$/m);
    await page.reload();
    await page.getByText('"status":"paid"').waitFor();
    assert.equal(grantsIn(folder), 1);
  } finally {
    shop.stop();
    await stop();
  }
}

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

/**
 * Buys from the shop on the reference server. The webhook of the payment grants the order once, also if it is delivered again, to the
 * same process or after a restart. No other payment and no unsigned webhook grants anything.
 */
export async function buyOnServer({ folder, deployed }: CreatedShop): Promise<void> {
  const port = await freePort();
  const seedText = readFileSync(join(root, 'examples/seed.json'), 'utf8').replaceAll(':3000', `:${port}`);
  const seed = JSON.parse(seedText) as Seed;
  const { secret_keys, publishable_keys, webhook_secret: webhookSecret } = seed.partners[0].test;
  const [secretKey] = secret_keys;
  const server = await serverWith(seed);
  const environment = {
    NODE_ENV: 'production',
    GATE_URL: server.sandbox,
    GATE_CHECKOUT_URL: server.sandbox_widget,
    GATE_SECRET_KEY: secretKey,
    GATE_PUBLISHABLE_KEY: publishable_keys[0],
    GATE_WEBHOOK_SECRET: webhookSecret,
  };
  const earlier = grantsIn(folder);
  const gate = new Gate(secretKey, { baseUrl: server.sandbox });
  let shop = await openShop(folder, deployed, port, environment);
  try {
    const checkout = { shop: shop.url, api: server.sandbox, secretKey };
    await buyFrom(checkout);
    const [paid] = (await gate.events.list({ type: 'gate_session.completed' })).data;
    const again = JSON.stringify(paid);
    assert.deepEqual(await deliver(shop.url, again, webhookSecret), [200, { received: true, duplicate: true }]);
    await payOtherwise(checkout, webhookSecret);
    await acceptOnlySignedBytes(shop.url, webhookSecret);
    assert.match(shop.printed(), /^Order \S+ is paid: send the mug\.$/m);
    shop.stop();
    shop = await openShop(folder, deployed, port, environment);
    assert.deepEqual(await deliver(shop.url, again, webhookSecret), [200, { received: true }]);
    assert.doesNotMatch(shop.printed(), /is paid/);
    assert.equal(grantsIn(folder), earlier + 1);
  } finally {
    shop.stop();
    server.close();
  }
}

/** Formatted unlike the output of JSON.stringify, so that a body that was parsed and rendered again does not verify. */
const BODY = '{ "id": "e1", "type": "webhook.test",\n "data": {"name":"Žofie"} }';

async function acceptOnlySignedBytes(shop: string, secret: string): Promise<void> {
  assert.deepEqual(await deliver(shop, BODY, secret), [200, { received: true }]);
  assert.equal((await deliver(shop, BODY, secret, BODY.replace('\n', '')))[0], 400);
  const unsigned = await fetch(`${shop}/hooks`, { method: 'POST', body: '{"type":"gate_session.completed"}' });
  assert.equal(unsigned.status, 400);
}

async function deliver(shop: string, signed: string, secret: string, body = signed): Promise<[number, unknown]> {
  const signature = webhooks.generateTestHeader({ payload: signed, secret });
  const headers = { 'content-type': 'application/json', 'gate-signature': signature };
  const answer = await fetch(`${shop}/hooks`, { method: 'POST', headers, body });
  return [answer.status, await answer.json()];
}

function grantsIn(folder: string): number {
  const data = join(folder, 'data');
  return existsSync(data) ? readdirSync(data).filter((name) => name.endsWith('.grant.json')).length : 0;
}

interface OpenShop {
  readonly url: string;
  readonly printed: () => string;
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly stop: () => void;
}

async function openShop(
  folder: string,
  args: readonly string[],
  port: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<OpenShop> {
  const program = start(process.execPath, args, folder, { ...QUIET, ...environment, PORT: String(port) });
  let text = '';
  for (const stream of [program.stdout, program.stderr])
    stream?.on('data', (more: Buffer) => {
      text += more.toString();
    });
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    eventually(() => {
      if (program.exitCode !== null) throw new PlainError(`${args.join(' ')} ended in a created shop:\n${text}`);
      return Promise.resolve(pattern.exec(text));
    });
  const shop = { url: `http://127.0.0.1:${port}`, printed: () => text, says, stop: () => void program.kill('SIGKILL') };
  try {
    await says(/The shop is open: |Ready in /);
    return shop;
  } catch (error) {
    shop.stop();
    throw error;
  }
}
