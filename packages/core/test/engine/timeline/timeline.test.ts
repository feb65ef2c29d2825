import { memoryStore } from '@gateramp/adapters-store-memory';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { overStore } from '../../../../conformance/test/faults/over.js';

const CALLER = { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' } as const;
const WRONG = { flow: 'on_ramp', amount: '1.00', currency: 'EUR', target_token: 'USDC', target_network: 'base' };

it('in-process calls show the same timeline as HTTP', async () => {
  const t = await createTestGate();
  const { id } = await t.createSession();
  await t.settle(id);
  const shown = (await t.gate.sessions.timeline(CALLER, id))._unsafeUnwrap();
  const wire = await t.request('GET', `/v1/gate_sessions/${id}/timeline`, { key: t.keys.secret.test });
  expect(shown).toEqual(wire.json);
  expect(shown.data.length).toBeGreaterThan(5);
  expect((await t.gate.sessions.timeline(CALLER, 'x'))._unsafeUnwrapErr().code).toBe('session_not_found');
});

it('a refused attempt that cannot be stored gets its normal response, and the operator gets a report', async () => {
  const store = memoryStore();
  const away = overStore(store, { list: { document: () => Promise.reject(new Error('The disk is full.')) } });
  const t = await createTestGate({ ports: { store: away } });
  const token = await t.embed(await t.createSession());
  const refused = await t.request('POST', '/v1/embed/intents', { headers: { 'x-embed-token': token }, body: WRONG });
  expect([refused.status, refused.json['code']]).toEqual([400, 'amount_mismatch']);
  expect(t.telemetry.failures.map(({ fields }) => fields['place'])).toContain('refused attempt');
});

it('concurrent refused attempts store no more than the maximum', async () => {
  const t = await createTestGate();
  const session = await t.createSession();
  const token = await t.embed(session);
  const send = () => t.request('POST', '/v1/embed/intents', { headers: { 'x-embed-token': token }, body: WRONG });
  const answers = await Promise.all(Array.from({ length: 30 }, send));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  await send();
  const { data } = (await t.gate.sessions.timeline(CALLER, session.id))._unsafeUnwrap();
  expect(data.filter(({ kind }) => kind === 'refusal')).toHaveLength(20);
  expect(t.telemetry.failures).toEqual([]);
});
