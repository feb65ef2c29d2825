import { expect, it } from 'vitest';
import { APIError, Gate } from '../../src/index.js';

const LIMIT_BYTES = 16 * 1024 * 1024;
const CHUNK = new Uint8Array(1024 * 1024).fill(0x20);

/** A gate whose service responds with 300 MiB, and the number of bytes read. */
function flooded(status: number, headers: Record<string, string> = {}) {
  const flood = { attempts: 0, read: 0, isCancelled: false };
  const gate = new Gate('sk_test_a', {
    fetch: async () => {
      flood.attempts += 1;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          flood.read += CHUNK.length;
          controller.enqueue(CHUNK);
          if (flood.read > 300 * 1024 * 1024) controller.close();
        },
        cancel: () => void (flood.isCancelled = true),
      });
      return new Response(body, { status, headers: { 'x-request-id': 'req_1', ...headers } });
    },
  });
  return { flood, gate };
}

it.each([200, 400, 503])('an answer of %i above 16 MiB is not read to its end, nor asked for again', async (status) => {
  const { flood, gate } = flooded(status);
  const error: unknown = await gate.gateSessions.list().then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(APIError);
  expect(error).toMatchObject({ code: 'response_too_large', status, requestId: 'req_1', rawBody: null });
  expect(flood.read).toBeLessThanOrEqual(LIMIT_BYTES + 3 * CHUNK.length);
  expect(flood).toMatchObject({ attempts: 1, isCancelled: true });
});

it('nothing is read of an answer whose stated length is above the limit', async () => {
  const { flood, gate } = flooded(200, { 'content-length': String(300 * 1024 * 1024) });
  await expect(gate.gateSessions.list()).rejects.toMatchObject({ code: 'response_too_large' });
  expect(flood.read).toBeLessThanOrEqual(2 * CHUNK.length);
});

it('an answer of several MiB is read', async () => {
  const data = Array.from({ length: 100 }, (_, n) => ({ id: `s${n}`, metadata: { note: 'ž'.repeat(16 * 1024) } }));
  const gate = new Gate('sk_test_a', { fetch: async () => Response.json({ data, has_more: false, url: '/' }) });
  expect((await gate.gateSessions.list()).data).toEqual(data);
});
