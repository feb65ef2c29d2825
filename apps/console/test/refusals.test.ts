import { memoryStore } from '@gateramp/adapters-store-memory';
import { Outage, type Store } from '@gateramp/core/ports';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { ask, signedIn, testConsole, type TestConsole } from './console.js';

async function refusalOf(console: TestConsole, path: string, asked: Parameters<typeof ask>[2] = {}) {
  const answer = await ask(console, path, asked);
  return [answer.status, ((await answer.json()) as { readonly code: string }).code];
}

it('method_not_allowed: a known path with another method', async () => {
  const console = testConsole((await createTestGate()).gate);
  expect(await refusalOf(console, '/me', { method: 'PUT' })).toEqual([405, 'method_not_allowed']);
});

it('body_too_large: a body above 64 KiB, and not one below', async () => {
  const console = testConsole((await createTestGate()).gate);
  const send = (length: number) =>
    refusalOf(console, '/session', { method: 'POST', body: JSON.stringify({ code: 'x'.repeat(length) }) });
  expect(await send(65_536)).toEqual([413, 'body_too_large']);
  expect((await send(65_000))[1]).not.toBe('body_too_large');
});

it('not_available: passkeys where the host offers none', async () => {
  const console = testConsole((await createTestGate()).gate);
  expect(await refusalOf(console, '/passkeys/options', { method: 'POST' })).toEqual([501, 'not_available']);
});

it.each([
  ['internal_error', 500, new Error('column "card_number" of relation "cards" does not exist')],
  ['service_unavailable', 503, new Outage('The database at 10.0.0.7 does not answer.')],
])('%s: a failure is reported to the host in full, and to the caller without details', async (code, status, thrown) => {
  const inner = memoryStore();
  let isBroken = false;
  const store: Store = {
    ...inner,
    list: (noun, ...query) => (isBroken ? Promise.reject(thrown) : inner.list(noun, ...query)),
  };
  const t = await createTestGate({ ports: { store } });
  const reported: unknown[] = [];
  const console = testConsole(t.gate, { onError: (error) => reported.push(error) });
  const cookie = await signedIn(console, t.partner.id);
  isBroken = true;
  const answer = await ask(console, '/sessions', { cookie });
  const text = await answer.text();
  expect([answer.status, JSON.parse(text)]).toMatchObject([status, { code }]);
  expect(text).not.toContain(thrown.message);
  expect(reported).toEqual([thrown]);
});

it('413 body_too_large: reads no more of a body once it is longer than 64 KiB', async () => {
  const console = testConsole((await createTestGate()).gate);
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(new Uint8Array(16_384).fill(32));
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  // A variable, since the types of browsers lack `duplex`.
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body,
    duplex: 'half',
  };
  const answer = await console.handle(new Request('https://console.example/console/v1/session', init));
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ code: 'body_too_large' });
  expect(isCancelled).toBe(true);
  expect(sent).toBeLessThanOrEqual(7);
});
