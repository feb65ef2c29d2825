import { createTestGate, REFUSED, ACCEPTED, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { recorded, traceparentOf } from './recorded.js';
import { STORES } from './stores.js';
import { tree } from './tree.js';

/** The partner's span, in whose trace everything belongs. */
const PARTNER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TRACESTATE = 'vendor=1,other=a b';
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

    await create(t, { traceparent: TRACEPARENT, tracestate: TRACESTATE });
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
    expect(t.deliveries().map(({ headers }) => headers['tracestate'])).toEqual([TRACESTATE]);
  });

  it('continue in another process, after retries and a replay', async () => {
    const store = await open();
    const t = await createTestGate({ ports: { store } });
    const first = t.restart({ tracer: recorded().tracer });
    await create(first, { traceparent: TRACEPARENT, tracestate: TRACESTATE });

    const second = recorded();
    const other = t.restart({ tracer: second.tracer });
    t.receiver.answerWith(() => REFUSED);
    await other.clock.advance('8d');
    const before = t.deliveries().length;
    const { secret } = t.keys;
    const listed = await other.request('GET', '/v1/webhooks/deliveries', { key: secret.test });
    const [dead] = listed.json['data'] as readonly { readonly id: string; readonly status: string }[];
    expect(dead?.status).toBe('dead_lettered');
    const path = `/v1/webhooks/deliveries/${dead?.id}/replay`;
    await other.request('POST', path, { key: secret.test, idempotencyKey: 'again' });
    await other.gate.runDue();
    t.receiver.answerWith(() => ACCEPTED);
    await other.clock.advance('1m');

    const sent = second.spans().filter(({ name }) => name === 'send gate_session.created');
    expect(t.deliveries()).toHaveLength(before + 2);
    expect(sent).toHaveLength(before + 2);
    expect(sent.every((span) => span.spanContext().traceId === PARTNER.traceId)).toBe(true);
    expect(sent.map((span) => span.attributes['gateramp.delivery.trigger'])).toEqual([
      'initial',
      ...Array.from({ length: before - 1 }, () => 'scheduled'),
      'replay',
      'scheduled',
    ]);
    expect(t.deliveries().map(({ headers }) => headers['traceparent'])).toEqual(sent.map(traceparentOf));
    expect(new Set(t.deliveries().map(({ headers }) => headers['tracestate']))).toEqual(new Set([TRACESTATE]));

    // The attempts after a replay belong to two traces, and so does the commit of the replay.
    const replay = second
      .spans()
      .find(({ links }) => links.length > 0 && links[0]?.context.traceId === PARTNER.traceId);
    expect(replay?.name).toBe('commit');
    expect(replay?.spanContext().traceId).not.toBe(PARTNER.traceId);
    expect(sent.map(({ links }) => links.map(({ context }) => context.spanId))).toEqual([
      ...Array.from({ length: before }, () => []),
      [replay?.spanContext().spanId],
      [replay?.spanContext().spanId],
    ]);
  });
});

it('an event that was not traced belongs to the trace of the request that replays it', async () => {
  const t = await createTestGate();
  await create(t, {});
  t.receiver.answerWith(() => REFUSED);
  await t.clock.advance('8d');
  t.receiver.answerWith(() => ACCEPTED);
  const traced = recorded();
  const other = t.restart({ tracer: traced.tracer });
  const path = '/v1/webhooks/deliveries/replay';
  const body = { limit: 10 };
  const replayed = await other.request('POST', path, { key: t.keys.secret.test, idempotencyKey: 'all', body });
  expect(replayed.json).toMatchObject({ replayed: 1 });
  await other.gate.runDue();
  expect(tree(traced.spans()).slice(-2)).toEqual([`POST ${path} < nothing`, 'send gate_session.created < commit']);
});

it('lines of the log name the span of a request, an attempt or a step of a provider, and none without a trace', async () => {
  const traced = recorded();
  const t = await createTestGate({ ports: { tracer: traced.tracer } });
  t.receiver.answerWith(() => REFUSED);
  await create(t, { traceparent: TRACEPARENT });
  await t.gate.runDue();
  const { spanId } = traced.span('send gate_session.created').spanContext();
  const attempts = () =>
    t.telemetry.notes.filter(({ name }) => name === 'delivery_attempt').map(({ fields }) => fields);
  expect(attempts()).toMatchObject([{ trace_id: PARTNER.traceId, span_id: spanId, response_status: 500 }]);
  const untraced = t.restart({ tracer: { current: () => null, start: () => null } });
  await create(untraced, {});
  await untraced.gate.runDue();
  for (const { fields } of t.telemetry.notes.slice(1)) expect(Object.keys(fields)).not.toContain('trace_id');
});
