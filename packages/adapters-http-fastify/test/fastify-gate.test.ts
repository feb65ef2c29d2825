import { fastifyGate, gateServerOptions } from '@gateramp/adapters-http-fastify';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { fastify, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { describe, expect, it } from 'vitest';

const SESSION = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

function creation(t: TestGate, headers: Readonly<Record<string, string>> = {}) {
  const authorization = `Bearer ${t.keys.secret.test}`;
  return {
    method: 'POST',
    url: '/v1/gate_sessions',
    headers: { authorization, 'idempotency-key': `key-${(keys += 1)}`, ...headers },
    payload: SESSION,
  } as const;
}

let keys = 0;

async function host(
  options: FastifyServerOptions,
  prepare: (app: FastifyInstance) => unknown,
): Promise<FastifyInstance> {
  const app = fastify(options);
  await prepare(app);
  return app;
}

describe('registered with a prefix', () => {
  it('takes paths relative to its prefix, and answers everything beneath it', async () => {
    const t = await createTestGate();
    const app = await host({}, (host) => host.register(fastifyGate, { gate: t.gate, mode: 'test', prefix: '/pay' }));
    expect((await app.inject({ ...creation(t), url: '/pay/v1/gate_sessions' })).statusCode).toBe(201);
    for (const url of ['/pay', '/pay/', '/pay?x=1', '/pay/nowhere']) {
      expect((await app.inject({ method: 'GET', url })).json()).toMatchObject({ code: 'route_not_found' });
    }
  });

  it('cuts a prefix that is nested, parametric or percent-encoded', async () => {
    const t = await createTestGate();
    const app = await host({}, (host) =>
      host.register((shop) => shop.register(fastifyGate, { gate: t.gate, mode: 'test', prefix: '/pay' }), {
        prefix: '/shops/:shop',
      }),
    );
    for (const url of ['/shops/a/pay/health', '/shops/a%20b/p%61y/health']) {
      expect((await app.inject({ method: 'GET', url })).json()).toMatchObject({ object: 'health' });
    }
  });

  it('points to its own page in doc_url, whatever prefixes it stands in', async () => {
    const t = await createTestGate();
    const app = await host({}, (host) =>
      host.register((shop) => shop.register(fastifyGate, { gate: t.gate, mode: 'test', prefix: '/pay' }), {
        prefix: '/shops/:shop',
      }),
    );
    const refused = await app.inject({ method: 'GET', url: '/shops/a%20b/pay/v1/gate_sessions' });
    expect(refused.json()).toMatchObject({ doc_url: '/shops/a%20b/pay/docs#missing_credential' });
    const page = await app.inject({ method: 'GET', url: '/shops/a%20b/pay/docs' });
    expect(page.body).toContain('<section id="missing_credential">');
  });

  it('serves both modes in one server, each under its own prefix', async () => {
    const t = await createTestGate();
    const app = await host({}, async (host) => {
      for (const mode of ['test', 'live'] as const)
        await host.register(fastifyGate, { gate: t.gate, mode, prefix: `/${mode}` });
    });
    for (const mode of ['test', 'live'])
      expect((await app.inject({ method: 'GET', url: `/${mode}/health` })).json()).toMatchObject({ mode });
  });
});

describe('next to the host', () => {
  it('leaves the routes, parsers, errors and 404 of the host alone', async () => {
    const t = await createTestGate();
    const app = await host({}, async (host) => {
      host.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) =>
        done(null, `csv:${String(body)}`),
      );
      await host.register(fastifyGate, { gate: t.gate, mode: 'test', prefix: '/pay' });
      host.post('/own', (request) => ({ got: request.body }));
      host.get('/pay/own', () => 'own');
      host.setErrorHandler((error, _request, reply) => reply.code(418).send({ host: String(error) }));
      host.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'none' }));
    });
    const post = (type: string, payload: string) =>
      app.inject({ method: 'POST', url: '/own', headers: { 'content-type': type }, payload });
    expect((await post('application/json', '{"a":1}')).json()).toEqual({ got: { a: 1 } });
    expect((await post('text/csv', 'a,b')).json()).toEqual({ got: 'csv:a,b' });
    expect((await post('application/json', '{"a":')).statusCode).toBe(418);
    expect((await post('application/pdf', 'x')).statusCode).toBe(418);
    expect((await app.inject({ method: 'GET', url: '/pay/own' })).body).toBe('own');
    expect((await app.inject({ method: 'GET', url: '/elsewhere' })).json()).toEqual({ host: 'none' });
  });

  it("runs the host's hooks around its answers", async () => {
    const t = await createTestGate();
    const seen: string[] = [];
    const app = await host({}, async (host) => {
      host.addHook('onRequest', async (_request, reply) => {
        seen.push('onRequest');
        reply.header('vary', 'accept-encoding, origin');
      });
      host.addHook('preHandler', async (request) => void seen.push(`preHandler ${typeof request.body}`));
      host.addHook('onSend', async (_request, reply, payload) => {
        seen.push(`onSend ${reply.statusCode}`);
        reply.header('x-host', 'yes');
        return payload;
      });
      host.addHook('onResponse', async (_request, reply) => void seen.push(`onResponse ${reply.statusCode}`));
      await host.register(fastifyGate, { gate: t.gate, mode: 'test' });
    });
    const created = await app.inject(creation(t));
    expect(created.headers).toMatchObject({ 'x-host': 'yes', vary: 'accept-encoding, origin' });
    expect(seen).toEqual(['onRequest', 'preHandler object', 'onSend 201', 'onResponse 201']);
  });

  it('leaves a request that a hook of the host refuses to the host', async () => {
    const t = await createTestGate();
    const app = await host({}, async (host) => {
      host.addHook('onRequest', async () => {
        throw new Error('not today');
      });
      host.setErrorHandler((error, _request, reply) => reply.code(418).send({ host: String(error) }));
      await host.register(fastifyGate, { gate: t.gate, mode: 'test' });
    });
    expect((await app.inject(creation(t))).json()).toEqual({ host: 'Error: not today' });
  });

  it('serves however the router of the host is set up for slashes and case', async () => {
    const t = await createTestGate();
    const routerOptions = { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false };
    const app = await host({ routerOptions }, (host) =>
      host.register(fastifyGate, { gate: t.gate, mode: 'test', prefix: '/pay' }),
    );
    expect((await app.inject({ method: 'GET', url: '/PAY/health' })).statusCode).toBe(200);
    for (const url of ['/pay/health/', '/pay/HEALTH', '/pay//health']) {
      expect((await app.inject({ method: 'GET', url })).json()).toMatchObject({ code: 'route_not_found' });
    }
  });
});

describe('registered without its options', () => {
  it.each([{}, { mode: 'test' }, { gate: {}, mode: 'test' }])('says at once what to do: %j', async (options) => {
    const app = fastify();
    await expect(Promise.resolve(app.register(fastifyGate, options as never))).rejects.toThrow(
      "fastify.register(fastifyGate, { gate, mode: 'test' })",
    );
  });
});

describe('client addresses', () => {
  async function limited(trustProxy: boolean) {
    const t = await createTestGate({ rateLimits: 'on' });
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    const app = await host({ trustProxy }, (host) =>
      host.register(fastifyGate, { gate: t.gate, mode: 'test', onWarning }),
    );
    const statuses: number[] = [];
    for (let nth = 1; nth <= 11; nth += 1) {
      statuses.push((await app.inject(creation(t, { 'x-forwarded-for': `198.51.100.${nth}` }))).statusCode);
    }
    return { warnings, statuses };
  }

  it('come from X-Forwarded-For where Fastify trusts the proxy', async () => {
    const { warnings, statuses } = await limited(true);
    expect(statuses).toEqual(Array.from({ length: 11 }, () => 201));
    expect(warnings).toEqual([]);
  });

  it('are counted by /64 where a trusted proxy names IPv6 ones, however it spells them', async () => {
    const t = await createTestGate({ rateLimits: 'on' });
    const app = await host({ trustProxy: true }, (host) => host.register(fastifyGate, { gate: t.gate, mode: 'test' }));
    const statuses: number[] = [];
    for (let nth = 1; nth <= 11; nth += 1)
      statuses.push((await app.inject(creation(t, { 'x-forwarded-for': `2001:DB8::${nth}` }))).statusCode);
    expect(statuses.at(-1)).toBe(429);
    expect((await app.inject(creation(t, { 'x-forwarded-for': '2001:db8:0:1::1' }))).statusCode).toBe(201);
  });

  it('are those of connections otherwise, with one warning that names the setting', async () => {
    const { warnings, statuses } = await limited(false);
    expect(statuses.at(-1)).toBe(429);
    expect(warnings).toEqual([expect.stringContaining('trustProxy')]);
  });
});

describe('gateServerOptions', () => {
  it('leaves requests that come while the server closes to the gate, so that they get its answers too', async () => {
    const t = await createTestGate();
    const events = new EventEmitter();
    const [arrived, released] = [once(events, 'arrived'), once(events, 'released')];
    // The first request is held until the server has begun to close.
    let held = false;
    const gate: typeof t.gate = {
      ...t.gate,
      handle: async (mode, request) => {
        if (!held) {
          held = true;
          events.emit('arrived');
          await released;
        }
        return t.gate.handle(mode, request);
      },
    };
    const mount = { gate, mode: 'test' } as const;
    const app = await host(gateServerOptions(mount), (host) => host.register(fastifyGate, mount));
    const origin = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(origin.port), origin.hostname).setEncoding('utf8');
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
    await arrived;
    const closed = app.close();
    const second = once(app.server, 'request');
    socket.write('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    await second;
    events.emit('released');
    let text = '';
    for await (const part of socket) text += String(part);
    expect(text).toContain('"object":"health"');
    expect(text).toContain('"code":"route_not_found"');
    await closed;
  });

  it.each([
    ['/pay', '/pay/docs#malformed_request'],
    ['/shops/:shop/pay', null],
  ])('points to its own page in doc_url where a request cannot be read: %s', async (prefix, docUrl) => {
    const t = await createTestGate();
    const mount = { gate: t.gate, mode: 'test', prefix } as const;
    const app = await host(gateServerOptions(mount), (host) => host.register(fastifyGate, mount));
    const origin = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(origin.port), origin.hostname).setEncoding('utf8');
    socket.write('NONSENSE\r\n\r\n');
    let text = '';
    for await (const part of socket) text += String(part);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ code: 'malformed_request', doc_url: docUrl });
    await app.close();
  });

  it('answers broken percent-encoding beneath the prefix with the contract, elsewhere with Fastify', async () => {
    const t = await createTestGate();
    const mount = { gate: t.gate, mode: 'test', prefix: '/pay' } as const;
    const app = await host(gateServerOptions(mount), (host) => host.register(fastifyGate, mount));
    for (const url of ['/pay/v1/gate_sessions/%zz', '/pay/%']) {
      expect((await app.inject({ method: 'GET', url })).json()).toMatchObject({
        code: 'route_not_found',
        type: 'not_found',
      });
    }
    for (const url of ['/%zz', '/payment/%zz']) {
      expect((await app.inject({ method: 'GET', url })).json()).toMatchObject({
        code: 'FST_ERR_BAD_URL',
        statusCode: 400,
      });
    }
  });

  it('answers it with the contract beneath a prefix with parameters too', async () => {
    const t = await createTestGate();
    const mount = { gate: t.gate, mode: 'test', prefix: '/shops/:shop/pay' } as const;
    const app = await host(gateServerOptions(mount), (host) => host.register(fastifyGate, mount));
    const answer = await app.inject({ method: 'GET', url: '/shops/acme/pay/v1/gate_sessions/%zz' });
    expect(answer.json()).toMatchObject({ code: 'route_not_found', doc_url: '/shops/acme/pay/docs#route_not_found' });
    for (const url of ['/shops/acme/%zz', '/shops/%zz'])
      expect((await app.inject({ method: 'GET', url })).json()).toMatchObject({ code: 'FST_ERR_BAD_URL' });
  });
});
