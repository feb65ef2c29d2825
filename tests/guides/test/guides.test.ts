import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../../../tools/docs.mjs';
import { root } from '../../../tools/lib/workspaces.mjs';
import { modulesOfPage, run } from '../run-page.js';
import { serve } from '../serve.js';

const FOLDER = join(root, 'docs/guides');
const PAGES = readdirSync(FOLDER).filter((page) => page !== 'README.md');

it('every guide is in the table of guides, and has something to run', () => {
  const index = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  for (const page of PAGES) {
    expect(index).toContain(`(${page})`);
    expect(modulesOfPage(page), page).not.toEqual([]);
  }
});

it.each(PAGES.flatMap(modulesOfPage))('the blocks of $name run as printed, and print what they say', async (module) => {
  const server = await serve();
  onTestFinished(() => server.close());
  const printed = await run(module, server.env);
  for (const promised of module.promised.filter((one) => one !== null)) expect(printed).toContain(promised);
  if (!module.promised.includes(null)) expect(printed).toEqual(module.promised);
});

it('the shell of provider-callbacks.md settles a payment as printed', async () => {
  const { env, close } = await serve();
  onTestFinished(close);
  const [shell] = blocksOf({ text: readFileSync(join(FOLDER, 'provider-callbacks.md'), 'utf8') }).filter(
    ({ language }) => language === 'sh',
  );
  const ask = async (path: string, body?: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${env['GATE_URL']}${path}`, {
      headers: {
        authorization: `Bearer ${env['GATE_SECRET_KEY']}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    // An object of the API.
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  const order = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
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
