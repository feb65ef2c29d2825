import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { expressGate } from '@gateramp/adapters-http-express';
import { fastifyGate, gateServerOptions } from '@gateramp/adapters-http-fastify';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { createGate, type Gate } from '@gateramp/core';
import { BODY_BYTES_MAX, requestTarget } from '@gateramp/core/http';
import { gracefulStop, readBody } from '@gateramp/core/runtime';
import express from 'express';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { runs } from '../../depth.js';
import { portOf } from '../../services/ports.js';
import { sending } from '../../services/raw-connection.js';
import { startLoad } from '../stopping/load.js';

/** Long enough for any test to end before: only `never ends` waits for its own limit. */
const LIMIT_MS = 600_000;

interface Embedded {
  readonly server: Server;
  readonly close: readonly (() => unknown)[];
}

/** The gate below `/sandbox`, and `/held`, whose handler never answers. */
const FRAMEWORKS: Readonly<Record<string, (gate: Gate) => Promise<Embedded>>> = {
  async Express(gate) {
    const app = express();
    app.get('/held', () => undefined);
    app.use('/sandbox', expressGate(gate, { mode: 'test' }));
    return { server: createServer(app), close: [] };
  },
  async Fastify(gate) {
    const mount = { gate, mode: 'test', prefix: '/sandbox' } as const;
    const app = fastify({ ...gateServerOptions(mount) });
    app.get('/held', () => new Promise(() => undefined));
    await app.register(fastifyGate, mount);
    await app.ready();
    return { server: app.server, close: [() => app.close()] };
  },
  async 'node:http'(gate) {
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method = 'GET', url = '/', headers } = request;
      const body = await readBody(request, request, BODY_BYTES_MAX);
      const message = { method, ...requestTarget(url, 1), headers, body, clientIp: '127.0.0.1' };
      const answered = await gate.handle('test', message);
      response.writeHead(answered.status, answered.headers).end(answered.body);
    };
    const server = createServer((request, response) => {
      if (request.url !== '/held') void answer(request, response);
    });
    return { server, close: [] };
  },
};

/** A listening server, and the stop of it and its gate. */
async function embedded(framework: (gate: Gate) => Promise<Embedded>, limitMs = LIMIT_MS) {
  const ports = { scheduler: inProcessScheduler(), limits: memoryRateLimits(), providers: [sandboxProvider()] };
  const gate = createGate({ store: memoryStore(), ...ports }, { rateLimitFactor: 1_000 });
  const partner = await gate.admin.createPartner({ name: 'Acme', allowedOrigins: ['https://shop.example'] });
  const { text: key } = await gate.admin.issueKey(partner.id, { mode: 'test', type: 'secret' });
  await gate.start();
  const { server, close } = await framework(gate);
  const accepted = new Set<unknown>();
  server.on('request', ({ headers }) => accepted.add(headers['idempotency-key']));
  const closed: string[] = [];
  const clients = [...close, () => void closed.push('pool')];
  const stop = gracefulStop({ servers: [server], gate, mode: 'test', limitMs, close: clients });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: portOf(server), server, key, accepted, closed, stop };
}

/** The request at `/held` has reached its handler. */
const held = (server: Server): Promise<unknown> => once(server, 'request');

describe.each(Object.entries(FRAMEWORKS))('a gate on %s that stops', (_, framework) => {
  it('answers every request that it accepted under keep-alive load, and none with 500', async () => {
    const { port, key, accepted, closed, stop } = await embedded(framework);
    const load = startLoad(`http://127.0.0.1:${port}/sandbox`, key);
    await load.created(runs(300, 5_000));
    const stopped = stop();
    expect(stop()).toBe(stopped);
    await stopped;
    const asked = await load.end();
    const created = asked.filter(({ status, body }) => status === 201 && body.endsWith('}'));
    expect(new Set(created.map(({ id }) => id))).toEqual(accepted);
    const others = asked.filter(({ status }) => status !== 201 && status !== 'lost');
    for (const { status, body } of others)
      expect([status, JSON.parse(body)]).toMatchObject([503, { code: 'service_unavailable' }]);
    expect(closed).toEqual(['pool']);
  });

  it('refuses a later request on an open connection in the envelope, and does not wait for clients that leave', async () => {
    const { port, server, stop } = await embedded(framework);
    const late = await sending(port, 'GET /sandbox/v1/capabilities HTTP/1.1\r\nHost: a\r\n');
    const reached = held(server);
    const running = await sending(port, 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    await reached;
    await new Promise<void>((resolve) => setImmediate(resolve));
    const stopped = stop();
    late.socket.write('\r\n');
    const text = await late.text;
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n(.*\r\n)*connection: close\r\n/i);
    const envelope: unknown = JSON.parse(text.split('\r\n\r\n')[1] ?? '');
    expect(envelope).toMatchObject({ type: 'server_error', code: 'service_unavailable', statusCode: 503 });
    running.socket.destroy();
    await stopped;
  });

  it('ends within its limit while a handler never ends, and closes everything else', async () => {
    const { port, server, closed, stop } = await embedded(framework, 1_000);
    const reached = held(server);
    const running = await sending(port, 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    await reached;
    const failed = await stop().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(AggregateError);
    expect(failed).toMatchObject({ errors: expect.arrayContaining([new Error('Requests cut while running: 1.')]) });
    expect(await running.text).toBe('');
    expect(closed).toEqual(['pool']);
  });
});
