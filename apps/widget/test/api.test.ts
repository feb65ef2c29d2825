import { afterEach, expect, it, vi } from 'vitest';

import { embedApi } from '../src/web/wire/api.js';
import { uploadFile } from '../src/web/wire/upload.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('retries with the same idempotency key after a success whose body was cut off', async () => {
  vi.useFakeTimers();
  const cutOff = new ReadableStream({ start: (body) => body.error(new DOMException('Timed out', 'TimeoutError')) });
  const answers = [new Response(cutOff), new Response('{"id":"in'), Response.json({ id: 'int_1' })];
  const fetched = vi.fn<typeof fetch>(async () => answers.shift() ?? Response.error());
  vi.stubGlobal('fetch', fetched);

  const asked = embedApi('https://api.example', 'token', async () => uploadFile).cancel('int_1');
  await vi.runAllTimersAsync();

  expect(await asked).toEqual({ ok: true, value: { id: 'int_1' } });
  const keys = fetched.mock.calls.map(([, request]) => new Headers(request?.headers).get('idempotency-key'));
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});
