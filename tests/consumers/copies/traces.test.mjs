import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { storeLaws } from '@gateramp/conformance';

test('a law that is broken shows the line of its source, and what the store was asked', async () => {
  const store = Object.assign(memoryStore(), { readCounters: async () => ['7'] });
  const subject = { create: async () => ({ store, close: async () => undefined }) };
  const law = storeLaws.find(({ title }) => title === 'starts a counter at "0"');
  const failure = await law.run(subject).then(
    () => null,
    (error) => error,
  );
  assert.match(failure.stack, /store\/counter-laws\.ts:\d+/);
  assert.match(failure.message, /The store promises: starts a counter at "0"\./);
  assert.match(failure.message, /readCounters\(\{.*\}, \["never moved"\]\)\n\s+→ \["7"\]/);
});
