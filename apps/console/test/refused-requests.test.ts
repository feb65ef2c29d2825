import { consoleAccess } from '@gateramp/extensions/console-access';
import { inspection } from '@gateramp/extensions/inspection';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { ask, signedIn, testConsole } from './console.js';

interface Refused {
  readonly id: string;
  readonly request_id: string;
  readonly code: string;
  readonly object_id: string | null;
}

it('lists the refused requests of a partner by object and page, and finds one by its request id', async () => {
  const t = await createTestGate({ extensions: [consoleAccess(), inspection({ keepsRefusedRequests: true })] });
  const console = testConsole(t.gate);
  const cookie = await signedIn(console, t.partner.id);
  const read = async (path: string) => (await ask(console, path, { cookie })).json();
  const key = t.keys.secret.test;
  const { id } = await t.createSession();
  await t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key });
  const again = await t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key });
  await t.request('POST', '/v1/gate_sessions', { key, body: { amount: 'ten' }, idempotencyKey: 'invalid' });

  const all = (await read('/refused_requests')) as { data: readonly Refused[] };
  expect(all.data.map(({ code, object_id }) => [code, object_id])).toEqual([
    ['validation_failed', null],
    ['session_not_open', id],
  ]);
  expect(await read(`/refused_requests?object_id=${id}`)).toMatchObject({ data: [all.data[1]], has_more: false });
  const page = (await read('/refused_requests?limit=1')) as { data: readonly Refused[] };
  expect(page).toMatchObject({ data: [all.data[0]], has_more: true });
  expect(await read(`/refused_requests?starting_after=${page.data[0]?.id}`)).toMatchObject({ data: [all.data[1]] });
  expect(await read(`/refused_requests/${again.headers['x-request-id']}`)).toEqual(all.data[1]);
  expect((await ask(console, '/refused_requests/req_0', { cookie })).status).toBe(404);
});

it('exports a test of a session by its endpoint', async () => {
  const t = await createTestGate();
  const console = testConsole(t.gate);
  const cookie = await signedIn(console, t.partner.id);
  const { id } = await t.createSession({ amount: '25.00' });
  await t.settle(id);
  const answer = await ask(console, `/sessions/${id}/test`, { cookie });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    object: 'exported_test',
    file_name: `session-${id}.test.mjs`,
    text: expect.stringContaining(`await simulate({ scenario: 'succeed' });`),
  });
  expect((await ask(console, '/sessions/000000000000000000000000/test', { cookie })).status).toBe(404);
});
