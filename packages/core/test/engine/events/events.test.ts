import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';

const CALLER = { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' } as const;

it('in-process calls list and retrieve the same events as HTTP', async () => {
  const t = await createTestGate();
  const { id } = await t.createSession();
  await t.settle(id);
  const page = (await t.gate.events.list(CALLER, { session_id: id, limit: 2 }))._unsafeUnwrap();
  expect(page.data.map(({ type }) => type)).toEqual(['gate_session.completed', 'gate_session.processing']);
  expect(page.has_more).toBe(true);
  const cursor = page.data[1]?.id ?? '';
  const rest = (await t.gate.events.list(CALLER, { starting_after: cursor }))._unsafeUnwrap();
  expect(rest.data.map(({ type }) => type)).toEqual(['gate_session.created']);
  const wire = await t.request('GET', `/v1/events/${cursor}`, { key: t.keys.secret.test });
  expect((await t.gate.events.retrieve(CALLER, cursor))._unsafeUnwrap()).toEqual(wire.json);
});

it('in-process calls refuse what HTTP refuses', async () => {
  const { events } = (await createTestGate()).gate;
  expect((await events.retrieve(CALLER, 'x'))._unsafeUnwrapErr().code).toBe('event_not_found');
  expect((await events.list(CALLER, { starting_after: 'x' }))._unsafeUnwrapErr().code).toBe('event_not_found');
  expect((await events.list(CALLER, { limit: 0 }))._unsafeUnwrapErr().code).toBe('validation_failed');
  const unknown = { ...{ status: 'open' }, limit: 1 };
  expect((await events.list(CALLER, unknown))._unsafeUnwrapErr().code).toBe('unknown_parameter');
});
