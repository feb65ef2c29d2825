import { createTestGate, REFUSED, ACCEPTED, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { recorded, traceparentOf } from './recorded.js';
import { STORES } from './stores.js';
import { tree } from './tree.js';

/** The partner's span, in whose trace everything belongs. */
const PARTNER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TRACEPARENT = `00-${PARTNER.traceId}-${PARTNER.spanId}-01`;

const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

async function create(t: TestGate, headers: Readonly<Record<string, string>>): Promise<string> {
  const created = await t.request('POST', '/v1/gate_sessions', {
    key: t.keys.secret.test,
    idempotencyKey: 'one-order',
    headers,
    body: BODY,
  });
  expect(created.status).toBe(201);
  return String(created.json['id']);
}

describe.each(Object.entries(STORES))('traces on %s', (_, open) => {
  it('follow a session from the request of the partner to the webhook', async () => {
    const traced = recorded();
    const t = await createTestGate({ ports: { store: await open(), tracer: traced.tracer } });

    await create(t, { traceparent: TRACEPARENT });
    await t.gate.runDue();

    expect(tree(traced.spans())).toEqual([
      'decide < POST /v1/gate_sessions',
      'commit < POST /v1/gate_sessions',
      `POST /v1/gate_sessions < ${PARTNER.spanId}`,
      'send gate_session.created < commit',
    ]);
    expect(new Set(traced.spans().map((span) => span.spanContext().traceId))).toEqual(new Set([PARTNER.traceId]));
    expect(t.deliveries().map(({ headers }) => headers['traceparent'])).toEqual([
      traceparentOf(traced.span('send gate_session.created')),
    ]);
  });

  it('continue in another process, after retries and a replay', async () => {
    const store = await open();
    const t = await createTestGate({ ports: { store } });
    const first = t.restart({ tracer: recorded().tracer });
    await create(first, { traceparent: TRACEPARENT });

    const second = recorded();
    const other = t.restart({ tracer: second.tracer });
    t.receiver.answerWith(() => REFUSED);
    await other.clock.advance('8d');
    t.receiver.answerWith(() => ACCEPTED);
    const before = t.deliveries().length;
    const { secret } = t.keys;
    const listed = await other.request('GET', '/v1/webhooks/deliveries', { key: secret.test });
    const [dead] = listed.json['data'] as readonly { readonly id: string; readonly status: string }[];
    expect(dead?.status).toBe('dead_lettered');
    const path = `/v1/webhooks/deliveries/${dead?.id}/replay`;
    await other.request('POST', path, { key: secret.test, idempotencyKey: 'again' });
    await other.gate.runDue();

    const sent = second.spans().filter(({ name }) => name === 'send gate_session.created');
    expect(t.deliveries()).toHaveLength(before + 1);
    expect(sent).toHaveLength(before + 1);
    expect(sent.every((span) => span.spanContext().traceId === PARTNER.traceId)).toBe(true);
    expect(sent.map((span) => span.attributes['gateramp.delivery.trigger'])).toEqual([
      'initial',
      ...Array.from({ length: before - 1 }, () => 'scheduled'),
      'replay',
    ]);
    expect(t.deliveries().map(({ headers }) => headers['traceparent'])).toEqual(sent.map(traceparentOf));
  });
});
