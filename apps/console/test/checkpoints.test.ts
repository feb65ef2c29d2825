import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { ask, signedIn, testConsole } from './console.js';

async function world() {
  const t = await createTestGate({ policy: { testClock: 'partner' } });
  const console = testConsole(t.gate);
  const cookie = await signedIn(console, t.partner.id, { role: 'developer' });
  const send = async (path: string, method = 'GET', body: object = {}) => {
    const answer = await ask(console, path, { method, cookie, ...(method === 'GET' ? {} : { body }) });
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  };
  return { t, console, cookie, send };
}

it('saves a checkpoint, returns the sandbox to it and deletes it, with an audit entry for each', async () => {
  const { t, send } = await world();
  const { id } = await t.createSession();
  const made = await send('/checkpoints', 'POST', { name: 'before paying' });
  expect(made).toMatchObject({ status: 201, body: { object: 'checkpoint', name: 'before paying', sessions: 1 } });
  expect(await send('/checkpoints', 'POST', { name: 'before paying' })).toMatchObject({
    status: 409,
    body: { code: 'name_taken' },
  });
  await t.settle(id);
  const returned = await send(`/checkpoints/${made.body.id}/return`, 'POST');
  expect(returned).toMatchObject({ status: 200, body: { object: 'checkpoint_return', restored: 1, expired: 0 } });
  expect((await t.retrieveSession(id)).status).toBe('open');
  expect((await send('/checkpoints')).body).toMatchObject({ data: [{ id: made.body.id }], has_more: false });
  expect((await send(`/checkpoints/${made.body.id}`, 'DELETE')).status).toBe(204);
  expect((await send(`/checkpoints/${made.body.id}/return`, 'POST')).status).toBe(404);
  const entries = await t.gate.admin.audit.list({ limit: 3 });
  expect(entries.map(({ action, actor }) => [action, actor.id])).toEqual(
    ['delete', 'return', 'create'].map((verb) => [`checkpoint.${verb}`, 'ada@shop.example']),
  );
});

it('answers 404 for checkpoints in live mode and of another partner', async () => {
  const { t, console, send } = await world();
  const made = await send('/checkpoints', 'POST', { name: 'one' });
  const live = await signedIn(console, t.partner.id, { mode: 'live', role: 'admin' });
  const other = await t.gate.admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
  const stranger = await signedIn(console, other.id, { role: 'admin' });
  for (const [method, path, body] of [
    ['GET', '/checkpoints', undefined],
    ['POST', '/checkpoints', { name: 'two', reason: 'law' }],
    ['POST', `/checkpoints/${made.body.id}/return`, { reason: 'law' }],
    ['DELETE', `/checkpoints/${made.body.id}`, { reason: 'law' }],
  ] as const) {
    expect([path, (await ask(console, path, { method, cookie: live, body })).status]).toEqual([path, 404]);
    if (!path.includes(made.body.id)) continue;
    expect([path, (await ask(console, path, { method, cookie: stranger, body })).status]).toEqual([path, 404]);
  }
  expect((await send('/checkpoints')).body.data).toHaveLength(1);
});
