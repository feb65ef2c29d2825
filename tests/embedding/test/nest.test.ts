import { CALLBACK_SIGNATURE_HEADER, sandboxProvider, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import type { INestApplication } from '@nestjs/common';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nestApp } from '../nest-app.js';

const callbackSecret = 'callback-test-secret';

describe('a gate in a Nest application', () => {
  let t: TestGate;
  let app: INestApplication;
  let base: string;
  beforeAll(async () => {
    t = await createTestGate({ ports: { providers: [sandboxProvider({ callbackSecret })] } });
    app = await nestApp(t.gate);
    await app.listen(0, '127.0.0.1');
    base = `${await app.getUrl()}/sandbox`;
  });
  afterAll(() => app.close());

  it('creates a session and replays the same bytes for the same key', async () => {
    const create = () =>
      fetch(`${base}/v1/gate_sessions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${t.keys.secret.test}`,
          'content-type': 'application/json',
          'idempotency-key': 'order-1',
        },
        body: '{"amount":"100.00","currency":"EUR","return_url":"https://shop.example/done","metadata":{"n":1.0}}',
      });
    const first = await create();
    const text = await first.text();
    expect([first.status, text]).toEqual([201, expect.stringContaining('"metadata":{"n":1.0}')]);
    expect(await (await create()).text()).toBe(text);
  });

  it('hands provider callbacks their raw bytes, so that signatures can be verified', async () => {
    const rawBody = '{ "event_id":"evt_1",  "operation_id":"unknown", "outcome":"succeeded" }';
    const send = (signature: string) =>
      fetch(`${base}/v1/providers/sandbox/callbacks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [CALLBACK_SIGNATURE_HEADER]: signature },
        body: rawBody,
      });
    const genuine = await send(signSandboxCallback(rawBody, callbackSecret, t.clock.wall()));
    expect(await genuine.json()).toMatchObject({ code: 'intent_not_found' });
    const forged = await send(signSandboxCallback(rawBody, 'another-secret', t.clock.wall()));
    expect(await forged.json()).toMatchObject({ code: 'malformed_credential' });
  });

  it('leaves other paths to the application', async () => {
    const elsewhere = await fetch(`${await app.getUrl()}/other`);
    expect(await elsewhere.json()).toMatchObject({ statusCode: 404, message: 'Cannot GET /other' });
  });
});
