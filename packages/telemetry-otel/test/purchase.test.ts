import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { CARDS, checkout, WALLET } from '../../core/test/engine/checkout.js';
import { recorded } from './recorded.js';
import { tree } from './tree.js';

it('a purchase is one trace from the request over the calls of the provider and the later tasks to each webhook', async () => {
  const traced = recorded();
  const t = await createTestGate({ ports: { tracer: traced.tracer } });
  const shop = await checkout(t);
  await t.gate.runDue();
  const before = traced.spans().length;
  expect((await shop.begin()).status).toBe(201);
  await t.clock.advance('1h');

  const request = traced.span('POST /v1/embed/intents');
  const all = traced.spans().slice(before);
  const trace = all.filter((span) => span.spanContext().traceId === request.spanContext().traceId);
  const lines = tree(trace);
  expect(new Set(lines)).toEqual(
    new Set([
      'POST /v1/embed/intents < nothing',
      'decide < POST /v1/embed/intents',
      'commit < POST /v1/embed/intents',
      'capabilities sandbox < POST /v1/embed/intents',
      'resolve sandbox < POST /v1/embed/intents',
      'start sandbox < POST /v1/embed/intents',
      'run provider_check < commit',
      'lookup sandbox < run provider_check',
      'decide < run provider_check',
      'commit < run provider_check',
      'send gate_session.processing < commit',
      'send gate_session.completed < commit',
    ]),
  );
  expect(traced.span('send gate_session.completed').attributes).toMatchObject({
    'messaging.operation.type': 'send',
    'messaging.destination.name': 'gate_session.completed',
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'server.address': 'shop.example',
    'gateramp.session.id': shop.id,
    'gateramp.partner.id': t.partner.id,
  });
});

it('attributes of a purchase contain no secret, amount, card, wallet or identity, and no query', async () => {
  const traced = recorded();
  const t = await createTestGate({ ports: { tracer: traced.tracer } });
  const shop = await checkout(t, { amount: '123.45', user_reference: 'ada@example.com' });
  await shop.begin(CARDS.declines);
  await shop.begin(CARDS.asksForACode);
  await t.request('GET', '/v1/gate_sessions?user_reference=ada%40example.com', { key: t.keys.secret.test });
  await t.clock.advance('1h');

  expect(traced.spans().length).toBeGreaterThan(20);
  const text = JSON.stringify(
    traced.spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
  );
  for (const secret of [...Object.values(CARDS), WALLET, '123.45', 'ada', 'sk_test', 'whsec_', '_secret_', 'eyJ', '?'])
    expect(text).not.toContain(secret);
});
