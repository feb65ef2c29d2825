import type { Mode } from '@gateramp/core';
import { createTestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

async function asked(url: string, prefix: string, init: RequestInit = {}) {
  const { gate } = await createTestGate();
  const response = await gate.fetch(new Request(`https://shop.example${url}`, init), {
    mode: 'test',
    clientIp: '203.0.113.7',
    prefix,
  });
  return { status: response.status, json: await response.json(), headers: response.headers };
}

describe('gate.fetch with a prefix', () => {
  it.each([
    ['/sandbox/health', '/sandbox'],
    ['/sandbox/health', '/sandbox/'],
    ['/api/pay/health?', '/api/pay'],
    ['/health', ''],
    ['/health', '/'],
  ])('serves %s beneath %j', async (url, prefix) => {
    expect(await asked(url, prefix)).toMatchObject({ status: 200, json: { object: 'health' } });
  });

  it.each([
    ['/health', '/sandbox'],
    ['/sandboxes/health', '/sandbox'],
    ['/sandbox', '/sandbox'],
    ['/sandbox/', '/sandbox'],
    ['/sandbox//health', '/sandbox'],
    ['/SANDBOX/health', '/sandbox'],
    ['/live/health', '/sandbox'],
    ['/api/health', '/api/pay'],
  ])('answers 404 route_not_found to %s beneath %j', async (url, prefix) => {
    const { status, json, headers } = await asked(url, prefix);
    expect({ status, json }).toMatchObject({
      status: 404,
      json: { code: 'route_not_found', request_id: headers.get('x-request-id') },
    });
  });

  it.each(['/sandbox', '/sandbox/'])('links to its own page in doc_url under %j', async (prefix) => {
    const { json } = await asked('/sandbox/v1/gate_sessions', prefix);
    expect(json).toMatchObject({ doc_url: '/sandbox/docs#missing_credential' });
  });

  it('links to the public URL in doc_url if the host sets one', async () => {
    const { gate } = await createTestGate({ ports: { publicUrl: 'https://api.example/pay/' } });
    for (const [path, prefix] of [
      ['/sandbox/v1/gate_sessions', '/sandbox'],
      ['/v1/gate_sessions', ''],
    ] as const) {
      const request = new Request(`https://inside.example${path}`);
      const answer = await gate.fetch(request, { mode: 'test', clientIp: '127.0.0.1', prefix });
      expect(await answer.json()).toMatchObject({ doc_url: 'https://api.example/pay/docs#missing_credential' });
    }
    for (const publicUrl of ['api.example', 'ftp://api.example', 'https://a:b@api.example', 'https://api.example/?a=1'])
      await expect(createTestGate({ ports: { publicUrl } })).rejects.toThrow(/publicUrl must be/);
  });

  it('passes on the path under it, ids and query as sent', async () => {
    const t = await createTestGate();
    const { id } = await t.createSession();
    const headers = { authorization: `Bearer ${t.keys.secret.test}` };
    const of = (path: string) =>
      t.gate.fetch(new Request(`https://shop.example/pay${path}`, { headers }), {
        mode: 'test',
        clientIp: '::1',
        prefix: '/pay',
      });
    expect(await (await of(`/v1/gate_sessions/${id}`)).json()).toMatchObject({ id });
    expect(await (await of('/v1/gate_sessions?limit=1')).json()).toMatchObject({
      object: 'list',
      url: '/v1/gate_sessions',
    });
  });

  it.each(['sandbox', 'https://shop.example/sandbox', '/sandbox?x', '/sandbox#x'])(
    'immediately refuses %j as a prefix',
    async (prefix) => {
      await expect(asked('/sandbox/health', prefix)).rejects.toThrow(
        `prefix must be a path such as '/sandbox', not ${JSON.stringify(prefix)}`,
      );
    },
  );
});

it('gate.fetch without options says what to pass', async () => {
  const { gate } = await createTestGate();
  const fetch = gate.fetch as (request: Request, options?: { mode: Mode; clientIp: string }) => Promise<Response>;
  await expect(fetch(new Request('https://shop.example/health'))).rejects.toThrow(
    "mode must be 'test' or 'live', not undefined",
  );
});

it('gate.fetch without clientIp says what is missing, instead of a 500 for every request', async () => {
  const { gate } = await createTestGate();
  const fetch = gate.fetch as (request: Request, options: { mode: Mode; clientIp?: string }) => Promise<Response>;
  await expect(fetch(new Request('https://shop.example/health'), { mode: 'test' })).rejects.toThrow(
    'clientIp must be the IP address of the client as a string',
  );
});
