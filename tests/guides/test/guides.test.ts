import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../../../tools/docs.mjs';
import { secretKey } from '../../../tools/docs-context/guide.js';
import { root } from '../../../tools/lib/workspaces.mjs';
import { modulesOfPage, run } from '../run-page.js';
import { serve, type Start } from '../serve.js';

const FOLDER = join(root, 'docs/guides');
const PAGES = readdirSync(FOLDER).filter((page) => page.endsWith('.md') && page !== 'README.md');

it('every guide is in the table of guides, and has something to run', () => {
  const index = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  for (const page of PAGES) {
    expect(index).toContain(`(${page})`);
    expect(modulesOfPage(page), page).not.toEqual([]);
  }
});

/** Receivers of webhooks need the seed file; `npm start` is enough for everything else. */
const startOf = ({ text }: { readonly text: string }): Start =>
  text.includes('.listen(webhookPort') ? 'seed file' : 'npm start';

it.each(PAGES.flatMap(modulesOfPage))('the blocks of $name run as printed, and print what they say', async (module) => {
  const server = await serve(startOf(module));
  onTestFinished(() => server.close());
  const printed = await run(module, server.env);
  for (const promised of module.promised.filter((one) => one !== null)) expect(printed).toContain(promised);
  if (!module.promised.includes(null)) expect(printed).toEqual(module.promised);
});

it('the table of guides says which need the seed file', () => {
  const receiving = PAGES.filter((page) => modulesOfPage(page).some((module) => startOf(module) === 'seed file'));
  const [, named = ''] =
    /^ {3}- (\[.*?) need the webhooks/ms.exec(readFileSync(join(FOLDER, 'README.md'), 'utf8')) ?? [];
  expect([...named.matchAll(/\((.+?)\)/g)].map(([, page]) => page).toSorted()).toEqual(receiving.toSorted());
});

it('the shell of provider-callbacks.md settles a payment as printed', async () => {
  const { env, close } = await serve('npm start');
  onTestFinished(close);
  const [shell] = blocksOf({ text: readFileSync(join(FOLDER, 'provider-callbacks.md'), 'utf8') }).filter(
    ({ language }) => language === 'sh',
  );
  const ask = async (path: string, body?: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${env['GATE_URL']}${path}`, {
      headers: {
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    // An object of the API.
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  const order = { amount: '100.00', currency: 'EUR', return_url: 'http://localhost:4240/done' };
  const session = await ask('/v1/gate_sessions', order);
  const path = `/v1/test_helpers/gate_sessions/${String(session['id'])}/simulate`;
  const intent = await ask(path, { scenario: 'processing' });
  const operation = `op_${String(session['id'])}_${String(intent['attempt'])}`;
  const settled = await promisify(execFile)('sh', ['-e', '-c', shell?.code ?? 'false'], {
    env: { PATH: process.env['PATH'], GATE_URL: env['GATE_URL'], OPERATION: operation },
  });
  expect(JSON.parse(settled.stdout)).toEqual({ object: 'provider_callback', received: true });
  expect((await ask(`/v1/gate_sessions/${String(session['id'])}`))['status']).toBe('completed');
});
