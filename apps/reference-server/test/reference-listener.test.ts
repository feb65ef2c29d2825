import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestGate } from '@gateramp/testing';
import { expect, it, onTestFinished } from 'vitest';
import { encoded, encodingFor } from '../src/reference/compression.js';
import { referenceListener } from '../src/reference/reference-listener.js';

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** The reference of a gate with rate limits, in front of an API that answers 204 to everything. */
async function reference(trustedProxies: string | null = null) {
  const { gate } = await createTestGate({ rateLimits: 'on' });
  const files = {
    names: { style: 'style.css', script: 'script.js', scalar: 'scalar.js' },
    files: new Map([['scalar.js', { type: 'text/javascript', body: encoded('the script') }]]),
  };
  const api = referenceListener({
    ...{ gate, mode: 'test', files, trustedProxies },
    api: (_request, response) => void response.writeHead(204).end(),
  });
  const server = createServer(api);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = ask({ port, path, headers, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => resolve({ status: response.statusCode, body }));
      });
      sent.on('error', reject).end();
    });
}

it('pages and files of the API reference count in the global tiers of their client', async () => {
  const get = await reference();
  for (const page of ['/docs', '/docs.css', '/openapi.json']) expect((await get(page)).status).toBe(200);
  for (let count = 3; count < 10; count += 1)
    expect(await get('/docs/scalar.js')).toEqual({ status: 200, body: 'the script' });
  for (const path of ['/docs/scalar.js', '/docs', '/openapi.json']) {
    const refused = await get(path);
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([429, { code: 'rate_limit_exceeded' }]);
  }
});

it('the client of a file is the one that a trusted proxy forwards', async () => {
  const get = await reference('loopback');
  for (let count = 0; count < 12; count += 1)
    expect((await get('/docs/scalar.js', { 'x-forwarded-for': `203.0.113.${count}` })).status).toBe(200);
});

it('reads Accept-Encoding, also a long or malformed one', () => {
  expect(encodingFor('gzip, br;q=1.0')).toBe('br');
  expect(encodingFor('GZIP ; q=0.5, br ;q=0')).toBe('gzip');
  expect(encodingFor(`gzip${' '.repeat(15_000)};q=0`)).toBe('identity');
  expect(encodingFor(undefined)).toBe('identity');
});
