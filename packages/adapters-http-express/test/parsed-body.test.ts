import { BODY_BYTES_MAX } from '@gateramp/core/http';
import { expressGate, keepRawBody } from '@gateramp/adapters-http-express';
import { CALLBACK_SIGNATURE_HEADER, sandboxProvider, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import { createTestGate } from '@gateramp/testing';
import express, { type RequestHandler } from 'express';
import { describe, expect, it, vi } from 'vitest';
import { creation, serve } from './serve.js';

async function behind(...parsers: readonly RequestHandler[]) {
  const t = await createTestGate({ ports: { providers: [sandboxProvider({ callbackSecret: 'secret' })] } });
  const server = await serve(t, (app) => {
    for (const parser of parsers) app.use(parser);
    app.use(expressGate(t.gate, { mode: 'test' }));
  });
  return { t, server };
}

const REPEATED = '{"amount":"1.00","amount":"2.00","currency":"EUR","return_url":"https://shop.example/done"}';

describe('behind express.json()', () => {
  it('serves the contract from the parsed body', async () => {
    const { t, server } = await behind(express.json());
    const created = await server.send(creation(t, { metadata: { note: 'é' } }));
    expect(created.status, created.body).toBe(201);
    expect(JSON.parse(created.body)).toMatchObject({ amount: '100.00', metadata: { note: 'é' } });
    expect((await server.send(creation(t, { colour: 'red' }))).status).toBe(400);
  });

  it('serves a request without a body', async () => {
    const { t, server } = await behind(express.json());
    const { id } = await t.createSession();
    const headers = { authorization: `Bearer ${t.keys.secret.test}`, 'content-type': 'application/json' };
    expect((await server.send({ method: 'POST', path: `/v1/gate_sessions/${id}/cancel`, headers })).status).toBe(200);
  });

  it('reads the body itself where the parser left it alone', async () => {
    const { t, server } = await behind(express.json({ type: 'application/vnd.other' }));
    expect((await server.send(creation(t))).status).toBe(201);
    expect((await server.send(creation(t, 'text', { 'content-type': 'text/plain' }))).status).toBe(415);
  });

  it('answers 413 to a parsed body over the limit of the gate', async () => {
    const { t, server } = await behind(express.json({ limit: '1mb' }));
    const filler = ' '.repeat(BODY_BYTES_MAX);
    expect((await server.send(creation(t, `{${filler}}`))).status).toBe(413);
  });

  it('answers 500 to a provider callback whose bytes are gone, and says to the operator what to do', async () => {
    const { t, server } = await behind(express.json());
    const callback = {
      method: 'POST',
      path: '/v1/providers/sandbox/callbacks',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    };
    expect((await server.send(callback)).status).toBe(500);
    expect(String(t.telemetry.failures[0]?.error)).toContain('express.json({ verify: keepRawBody })');
  });
});

describe('behind express.json({ verify: keepRawBody })', () => {
  it('authenticates a provider callback over the bytes as they came', async () => {
    const { t, server } = await behind(express.json({ verify: keepRawBody }));
    const body = '{ "event_id":"evt_1",  "operation_id":"unknown", "outcome":"succeeded" }';
    const send = (signed: string) =>
      server.send({
        method: 'POST',
        path: '/v1/providers/sandbox/callbacks',
        headers: {
          'content-type': 'application/json',
          [CALLBACK_SIGNATURE_HEADER]: signSandboxCallback(signed, 'secret', t.clock.wall()),
        },
        body,
      });
    expect(JSON.parse((await send(body)).body)).toMatchObject({ code: 'intent_not_found' });
    expect(JSON.parse((await send(JSON.stringify(JSON.parse(body)))).body)).toMatchObject({
      code: 'malformed_credential',
    });
  });

  it('gives the gate the bytes, so that nothing a parser drops is lost', async () => {
    const plain = await behind();
    const kept = await behind(express.json({ verify: keepRawBody }));
    const answers = await Promise.all([plain, kept].map(({ t, server }) => server.send(creation(t, REPEATED))));
    expect(answers[1]?.body).toBe(answers[0]?.body);
  });

  it('gives the gate the bytes of express.raw()', async () => {
    const { t, server } = await behind(express.raw({ type: '*/*' }));
    expect((await server.send(creation(t))).status).toBe(201);
  });

  it('keeps them for another copy of this package, as a process that imports and requires it has', async () => {
    vi.resetModules();
    const copy = await import('@gateramp/adapters-http-express');
    expect(copy.keepRawBody).not.toBe(keepRawBody);
    const { t, server } = await behind(express.json({ verify: copy.keepRawBody }));
    const callback = {
      method: 'POST',
      path: '/v1/providers/sandbox/callbacks',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    };
    expect((await server.send(callback)).status).toBe(401);
    expect(t.telemetry.failures).toEqual([]);
  });
});
