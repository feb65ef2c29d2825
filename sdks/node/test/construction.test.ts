import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Gate, GateError, type GateOptions } from '../src/index.js';

const KEY = 'sk_test_gateramp_tests_secret_key';

function refusalOf(make: () => unknown): GateError {
  try {
    make();
  } catch (error) {
    if (error instanceof GateError) return error;
  }
  return expect.unreachable();
}

/** The URL of a call, which gets no answer. */
async function urlOf(key: string, options: GateOptions, call: (gate: Gate) => PromiseLike<unknown>): Promise<string> {
  let asked = '';
  const fetch: typeof globalThis.fetch = async (input) => {
    asked = new Request(input).url;
    return Response.json({ data: [], has_more: false, url: '/' });
  };
  await call(new Gate(key, { ...options, fetch }));
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

describe('a Gate', () => {
  it.each([
    ['', /Missing secret key/],
    [undefined, /Missing secret key/],
    ['pk_test_gateramp_demo_publishable_key', /publishable key/],
    ['whsec_gateramp_tests_webhook_secret', /signing secret/],
    [`${KEY}\n`, /white space/],
    [` ${KEY}`, /white space/],
    ['sk_staging_abc', /not a secret key/],
  ])('is not made with %j', (key, message) => {
    // As plain JavaScript could pass it.
    const error = refusalOf(() => new Gate(key as string));
    expect(error).toMatchObject({ name: 'AuthenticationError', code: 'malformed_credential' });
    expect(error.message).toMatch(message);
    if (key !== undefined && key !== '') expect(error.message).not.toContain(key.trim());
  });

  it('is not made in a browser', () => {
    vi.stubGlobal('window', {});
    vi.stubGlobal('document', {});
    expect(refusalOf(() => new Gate(KEY))).toMatchObject({ code: 'secret_key_in_browser' });
  });

  it.each(['', 'api.example.com', 'ftp://api.example.com', 'https://api.example.com/?a=b'])(
    'is not made for the address %j',
    (baseUrl) => {
      expect(refusalOf(() => new Gate(KEY, { baseUrl }))).toMatchObject({ code: 'invalid_configuration' });
    },
  );

  it.each([
    'https://user:hunter2@api.example.com',
    'https://user@api.example.com',
    'https://:hunter2@api.example.com',
    'http://api.example.com',
    'http://10.0.0.1:4242',
    'http://0.0.0.0:4242',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://localhost@api.example.com',
    'http://[::2]:4242',
  ])('is not made for %s, which would show the key, and does not repeat it', (address) => {
    for (const name of ['baseUrl', 'poolsBaseUrl']) {
      const error = refusalOf(() => new Gate(KEY, { [name]: address }));
      expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'invalid_configuration' });
      expect(error.message).toContain(name);
      expect(error.message).not.toMatch(/hunter2|example\.com:|@/);
    }
  });

  it.each([
    'http://localhost:4242',
    'http://gate.localhost',
    'http://127.0.0.1:4242',
    'http://127.8.9.1/gate',
    'http://[::1]:4242',
    'https://10.0.0.1',
  ])('is made for %s', (baseUrl) => {
    expect(() => new Gate(KEY, { baseUrl })).not.toThrow();
  });

  it.each([
    { maxRetries: Number.NaN },
    { maxRetries: Number.POSITIVE_INFINITY },
    { maxRetries: -1 },
    { maxRetries: 0.5 },
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { timeoutMs: 2 ** 31 },
  ])('is not made, nor is a call, with %j', async (bounds) => {
    const [name = ''] = Object.keys(bounds);
    const refusal = {
      name: 'InvalidRequestError',
      code: 'invalid_configuration',
      message: expect.stringContaining(name),
    };
    expect(refusalOf(() => new Gate(KEY, bounds))).toMatchObject(refusal);
    const fetch = vi.fn<typeof globalThis.fetch>();
    await expect(new Gate(KEY, { fetch }).gateSessions.list({}, bounds)).rejects.toMatchObject(refusal);
    expect(fetch).not.toHaveBeenCalled();
  });

  it('never shows its key', () => {
    const gate = new Gate(KEY);
    expect(inspect(gate, { depth: 9, showHidden: true }) + JSON.stringify(gate)).not.toContain('tests_secret');
  });

  it('speaks to the host of its key, or to the one it is given', async () => {
    const list = (gate: Gate): PromiseLike<unknown> => gate.gateSessions.list({ limit: 3, status: undefined });
    expect(await urlOf(KEY, {}, list)).toBe('https://sandbox.gateramp.example/v1/gate_sessions?limit=3');
    expect(await urlOf('sk_live_a', {}, list)).toBe('https://api.gateramp.example/v1/gate_sessions?limit=3');
    const mounted = { baseUrl: 'https://shop.example/gate/' };
    expect(await urlOf(KEY, mounted, list)).toBe('https://shop.example/gate/v1/gate_sessions?limit=3');
    expect(await urlOf('sk_live_a', {}, (gate) => gate.pools.list())).toBe('https://pools.gateramp.example/v1/pools');
  });

  it('sends no key of one deployment to the pools of another', async () => {
    const gate = new Gate('sk_live_a', { baseUrl: 'https://shop.example' });
    await expect(gate.pools.list()).rejects.toMatchObject({ code: 'invalid_configuration' });
  });

  it('escapes ids, and refuses one that would name another endpoint', async () => {
    const asked = await urlOf(KEY, {}, (gate) => gate.gateSessions.retrieve('a/../b?c'));
    expect(asked).toBe('https://sandbox.gateramp.example/v1/gate_sessions/a%2F..%2Fb%3Fc');
    for (const id of ['', ' ', '.', '..', undefined])
      expect(refusalOf(() => new Gate(KEY).gateSessions.retrieve(id as string))).toMatchObject({ code: 'id_missing' });
  });
});
