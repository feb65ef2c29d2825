import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOwnHost } from '../src/http/own-hosts.js';
import { readyServer, type ReadyServer } from './running-server.js';

const LOCAL = { bound: '127.0.0.1', names: ['gate.internal'] };
const EVERYWHERE = { bound: '0.0.0.0', names: [] };

describe("a host that is the server's own", () => {
  it.each([
    undefined,
    'localhost',
    'LocalHost:4240',
    'localhost.',
    'demo.localhost:1',
    '127.0.0.1',
    '127.0.0.1:4240',
    '127.9.9.9',
    '[::1]',
    '[::1]:4247',
    'gate.internal:4247',
    'GATE.internal',
  ])('%s', (host) => {
    expect(isOwnHost(host, LOCAL)).toBe(true);
  });

  it.each([
    '',
    'evil.example',
    'evil.example:4240',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evillocalhost',
    '198.51.100.7',
    '[2001:db8::1]',
    'user@localhost',
    'localhost:4240, evil.example',
    'localhost/',
    'localhost:',
    'localhost evil',
    '[::1',
    '0.0.0.0',
    '2130706433',
    'internal',
  ])('is not %j', (host) => {
    expect(isOwnHost(host, LOCAL)).toBe(false);
  });

  it('is any address where it is bound to every one, and still no other name', () => {
    expect(['198.51.100.7:4247', '[2001:db8::1]:4247', 'localhost'].map((host) => isOwnHost(host, EVERYWHERE))).toEqual(
      [true, true, true],
    );
    expect(['evil.example', 'gate.internal'].map((host) => isOwnHost(host, EVERYWHERE))).toEqual([false, false]);
  });

  it('is what it is bound to', () => {
    expect(isOwnHost('gate-1.Internal:4247', { bound: 'gate-1.internal', names: [] })).toBe(true);
    expect(isOwnHost('[fd00::7]:4247', { bound: 'fd00::7', names: [] })).toBe(true);
  });
});

describe('the listeners without a password', () => {
  let server: ReadyServer;
  beforeAll(async () => {
    server = await readyServer({ GATE_HOST_NAMES: 'gate.internal, Second.internal' });
  });
  afterAll(() => server.process.kill('SIGKILL'));

  /** `fetch` does not allow setting Host. */
  const get = (origin: string, path: string, host: string): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      request(`${origin}${path}`, { headers: { host } }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      })
        .on('error', reject)
        .end();
    });

  it('show nothing to a page that has let its own name point here', async () => {
    for (const [origin, path] of [
      [server.origins.demo, '/hooks'],
      [server.origins.demo, '/'],
      [server.origins.ops, '/metrics'],
      [server.origins.ops, '/health'],
    ] as const) {
      const refused = await get(origin, path, 'rebound.evil.example');
      expect([refused.status, refused.body]).toEqual([421, expect.stringContaining('GATE_HOST_NAMES')]);
      for (const host of ['localhost', 'gate.internal', 'second.internal'])
        expect((await get(origin, path, host)).status).toBe(200);
    }
  });

  it('are the only ones: the API takes any Host, and its mode from none', async () => {
    for (const mode of ['sandbox', 'live'] as const) {
      const { status, body } = await get(server.origins[mode], '/health', 'api.shop.example');
      expect([status, JSON.parse(body)]).toMatchObject([200, { mode: mode === 'live' ? 'live' : 'test' }]);
    }
  });
});
