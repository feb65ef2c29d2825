import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { webhooks } from '../../sdks/node/src/index.js';
import { npm } from '../../tools/lib/npm.mjs';
import { NPM_OPTIONS, runNode, versionsOf, writeManifest } from './project.js';
import { said, start } from './server.js';

/** What docs/install.md names for a shop's server, a page in React and unit tests. */
const OURS = [
  'sdk-node',
  'sdk-browser',
  'sdk-react',
  'core',
  'extensions',
  'adapters-provider-sandbox',
  'adapters-store-memory',
  'testing',
];
const PACKS = 'gateramp-packs';

/** An app with its own copies of the tarballs, as docs/install.md says. */
export async function installApp(folder: string, packs: string): Promise<void> {
  cpSync(join(import.meta.dirname, 'app'), folder, { recursive: true });
  cpSync(packs, join(folder, PACKS), { recursive: true });
  const dependencies = {
    ...Object.fromEntries(OURS.map((name) => [`@gateramp/${name}`, `file:./${PACKS}/${name}.tgz`])),
    ...versionsOf(['react', 'react-dom']),
  };
  const devDependencies = versionsOf(['vite', 'vitest']);
  const manifest = { name: 'shop', version: '1.0.0', private: true, type: 'module', dependencies, devDependencies };
  writeManifest(folder, manifest);
  await npm(['install', ...NPM_OPTIONS], folder);
}

/** With Vitest as it comes. */
export const testApp = (folder: string): Promise<void> =>
  runNode(process.execPath, folder, ['node_modules/vitest/vitest.mjs', 'run']);

/** As for production: everything in one file, with one React. */
export const buildApp = (folder: string): Promise<void> =>
  runNode(process.execPath, folder, ['node_modules/vite/bin/vite.js', 'build']);

/** What an image gets by docs/install.md: the app's own files, and what npm installs from them. */
export async function copyApp(folder: string, copy: string): Promise<void> {
  mkdirSync(copy, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', PACKS, 'server.js', 'dist'])
    cpSync(join(folder, name), join(copy, name), { recursive: true });
  await npm(['ci', '--omit=dev', ...NPM_OPTIONS], copy);
}

/** Starts the copy, sends it a webhook, and opens its page in a browser. */
export async function visitApp(copy: string): Promise<void> {
  const server = start(process.execPath, ['server.js'], copy, {});
  try {
    const [, shop = ''] = await said(server, /^The shop is open: (\S+)$/m);
    const payload = JSON.stringify({ id: 'evt_1', type: 'webhook.test', data: {} });
    const signature = webhooks.generateTestHeader({ payload, secret: 'whsec_consumer' });
    const headers = { 'content-type': 'application/json', 'gate-signature': signature };
    const answer = await fetch(`${shop}/hooks`, { method: 'POST', headers, body: payload });
    assert.deepEqual([answer.status, await answer.json()], [200, { received: true }]);
    await openPage(shop);
  } finally {
    server.kill('SIGKILL');
  }
}

/** A page with two Reacts would stay blank. */
async function openPage(url: string): Promise<void> {
  const [{ chromium }, { startChromium }] = await Promise.all([
    import('playwright-core'),
    import('../browser/start-chromium.js'),
  ]);
  const { url: endpoint, stop } = await startChromium();
  try {
    const browser = await chromium.connect(endpoint);
    const page = await browser.newPage();
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(url);
    await page.getByText('The checkout says: MountError').waitFor({ timeout: 60_000 });
    assert.deepEqual(errors, []);
  } finally {
    await stop();
  }
}
