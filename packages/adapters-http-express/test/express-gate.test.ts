import { answerRefusedRequests, expressGate } from '@gateramp/adapters-http-express';
import { createTestGate } from '@gateramp/testing';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import express, { Router, type RequestHandler, type Response } from 'express';
import { describe, expect, it } from 'vitest';
import { creation, serve } from './serve.js';

const HEALTH = { method: 'GET', path: '/health' };

describe('mounted under a prefix', () => {
  it('takes paths relative to its mount, and answers everything beneath it', async () => {
    const t = await createTestGate();
    const server = await serve(t, (app) => {
      app.use('/pay', expressGate(t.gate, { mode: 'test' }));
    });
    const created = await server.send({ ...creation(t), path: '/pay/v1/gate_sessions' });
    expect(created.status, created.body).toBe(201);
    for (const path of ['/pay', '/pay/', '/pay?x=1', '/pay/nowhere']) {
      expect(JSON.parse((await server.send({ method: 'GET', path })).body)).toMatchObject({ code: 'route_not_found' });
    }
  });

  it('points to its own page in doc_url, whatever routers it stands in', async () => {
    const t = await createTestGate();
    const server = await serve(t, (app) => {
      app.use('/shops/:shop', Router().use('/pay', expressGate(t.gate, { mode: 'test' })));
    });
    const refused = await server.send({ method: 'GET', path: '/shops/a%20b/pay/v1/gate_sessions' });
    expect(JSON.parse(refused.body)).toMatchObject({ doc_url: '/shops/a%20b/pay/docs#missing_credential' });
    const page = await server.send({ method: 'GET', path: '/shops/a%20b/pay/docs' });
    expect(page.body).toContain('<section id="missing_credential">');
  });

  it.each([
    ['/pay', '/pay/docs#malformed_request'],
    [undefined, '/docs#malformed_request'],
    [null, null],
  ])('points there too where a request cannot be read: %s', async (prefix, docUrl) => {
    const t = await createTestGate();
    const server = createServer(express());
    answerRefusedRequests(server, t.gate, { mode: 'test', ...(prefix === undefined ? {} : { prefix }) });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // Listening on TCP, it has a port.
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write('NONSENSE\r\n\r\n');
    let text = '';
    for await (const part of socket) text += String(part);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ code: 'malformed_request', doc_url: docUrl });
    server.close();
  });

  it('leaves the other routes of the host alone', async () => {
    const t = await createTestGate();
    const server = await serve(t, (app) => {
      app.get('/pay/own', (_, response) => void response.send('own'));
      app.use('/pay', expressGate(t.gate, { mode: 'test' }));
      app.get('/payment', (_, response) => void response.send('payment'));
    });
    expect((await server.send({ method: 'GET', path: '/pay/own' })).body).toBe('own');
    expect((await server.send({ method: 'GET', path: '/payment' })).body).toBe('payment');
    expect((await server.send({ method: 'GET', path: '/elsewhere' })).body).toContain('Cannot GET');
  });

  it('serves both modes in one app, each under its own prefix', async () => {
    const t = await createTestGate();
    const server = await serve(t, (app) => {
      app.use('/test', expressGate(t.gate, { mode: 'test' }));
      app.use('/live', Router().use('/gate', expressGate(t.gate, { mode: 'live' })));
    });
    expect(JSON.parse((await server.send({ method: 'GET', path: '/test/health' })).body)).toMatchObject({
      mode: 'test',
    });
    expect(JSON.parse((await server.send({ method: 'GET', path: '/live/gate/health' })).body)).toMatchObject({
      mode: 'live',
    });
  });
});

describe('mounted without its call', () => {
  it('says what to do, in the error of the first request', async () => {
    const t = await createTestGate();
    const errors: unknown[] = [];
    const server = await serve(t, (app) => {
      // A likely mistake, which the types forbid, but JavaScript does not.
      app.use('/sandbox', expressGate as unknown as RequestHandler);
      app.use((error: unknown, _request: unknown, response: Response, _next: unknown) => {
        errors.push(error);
        response.status(500).end();
      });
    });
    expect((await server.send({ method: 'GET', path: '/sandbox/health' })).status).toBe(500);
    expect(String(errors[0])).toContain("app.use(expressGate(gate, { mode: 'test' }))");
  });

  it.each([undefined, {}, { gate: 1 }])('refuses at once what is no gate: %j', (gate) => {
    expect(() => expressGate(gate as never, { mode: 'test' })).toThrow('gate is missing');
  });
});

describe('client addresses', () => {
  async function limited(trustProxy: boolean) {
    const t = await createTestGate({ rateLimits: 'on' });
    const warnings: string[] = [];
    const server = await serve(t, (app) => {
      app.set('trust proxy', trustProxy);
      app.use(expressGate(t.gate, { mode: 'test', onWarning: (message) => warnings.push(message) }));
    });
    const statuses: number[] = [];
    for (let nth = 1; nth <= 11; nth += 1) {
      statuses.push((await server.send(creation(t, {}, { 'x-forwarded-for': `198.51.100.${nth}` }))).status);
    }
    return { warnings, statuses };
  }

  it('come from X-Forwarded-For where Express trusts the proxy', async () => {
    const { warnings, statuses } = await limited(true);
    expect(statuses).toEqual(Array.from({ length: 11 }, () => 201));
    expect(warnings).toEqual([]);
  });

  it('are counted by /64 where a trusted proxy names IPv6 ones, however it spells them', async () => {
    const t = await createTestGate({ rateLimits: 'on' });
    const server = await serve(t, (app) => app.set('trust proxy', true).use(expressGate(t.gate, { mode: 'test' })));
    const statuses: number[] = [];
    for (let nth = 1; nth <= 11; nth += 1)
      statuses.push((await server.send(creation(t, {}, { 'x-forwarded-for': `2001:DB8::${nth}` }))).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await server.send(creation(t, {}, { 'x-forwarded-for': '2001:db8:0:1::1' }))).status).toBe(201);
  });

  it('are those of connections otherwise, with one warning that names the setting', async () => {
    const { warnings, statuses } = await limited(false);
    expect(statuses.at(-1)).toBe(429);
    expect(warnings).toEqual([expect.stringContaining('trust proxy')]);
  });
});

describe('next to the host', () => {
  it('keeps the headers that the host has set', async () => {
    const t = await createTestGate();
    const server = await serve(t, (app) => {
      app.use((_, response, next) => {
        response.setHeader('X-Host', 'yes').setHeader('Vary', ['Accept-Encoding', 'Cookie']);
        next();
      });
      app.use(expressGate(t.gate, { mode: 'test' }));
    });
    expect((await server.send(HEALTH)).headers).toMatchObject({
      'x-host': 'yes',
      vary: 'Accept-Encoding, Cookie, Origin',
      'content-type': 'application/json; charset=utf-8',
    });
  });

  it('is silent when the host has answered in the meantime', async () => {
    const t = await createTestGate();
    const failures: unknown[] = [];
    const server = await serve(t, (app) => {
      app.use((_, response, next) => {
        response.status(503).end('host');
        next();
      });
      app.use(expressGate(t.gate, { mode: 'test' }));
      app.use((error: unknown, _request: unknown, _response: unknown, next: (error: unknown) => void) => {
        failures.push(error);
        next(error);
      });
    });
    expect((await server.send(HEALTH)).body).toBe('host');
    expect(failures).toEqual([]);
  });
});
