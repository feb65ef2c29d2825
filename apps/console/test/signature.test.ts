import type { Scope } from '@gateramp/core';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { ask, signedIn, testConsole } from './console.js';

const SCOPE: Scope = { partnerId: TEST_PARTNER.id, mode: 'test' };

it('a received signature is traced to the secret that made it', async () => {
  const t = await createTestGate();
  const console = testConsole(t.gate);
  const cookie = await signedIn(console, TEST_PARTNER.id);
  const headers: string[] = [];
  t.receiver.answerWith((webhook) => {
    headers.push(webhook.headers['gate-signature'] ?? '');
    return { responseStatus: 200, responseBody: '', error: null };
  });
  const deliver = async (): Promise<string> => {
    await t.settle((await t.createSession()).id);
    await t.clock.advance('1m');
    return headers.at(-1) ?? '';
  };
  const newest = async (): Promise<string> => {
    const answer = await ask(console, '/deliveries?limit=1', { cookie });
    return ((await answer.json()) as { data: { id: string }[] }).data[0]?.id ?? '';
  };
  const check = async (id: string, header: string): Promise<unknown> => {
    const answer = await ask(console, `/deliveries/${id}/check_signature`, {
      method: 'POST',
      cookie,
      body: { header },
    });
    expect(answer.status).toBe(200);
    const { result, signed_at: at } = (await answer.json()) as { result: string; signed_at: string | null };
    expect(at === null).toBe(result === 'malformed');
    return result;
  };

  const header = await deliver();
  const id = await newest();
  expect(await check(id, header)).toBe('current');
  expect(await check(id, header.replace(/t=\d+/, 't=1'))).toBe('mismatch');
  expect(await check(id, 'sha256=abc')).toBe('malformed');
  (await t.gate.webhooks.rotateSecret(SCOPE, { grace_period_seconds: 3600 }))._unsafeUnwrap();
  expect(await check(id, header)).toBe('previous');
  const both = await deliver();
  expect(both.match(/v1=/g)).toHaveLength(2);
  expect(await check(await newest(), both)).toBe('current');
  expect(await check(id, both)).toBe('mismatch');
  await t.clock.advance('1h');
  expect(await check(id, header)).toBe('expired');

  const long = { method: 'POST', cookie, body: { header: 'x'.repeat(1_001) } };
  const tooLong = await ask(console, `/deliveries/${id}/check_signature`, long);
  expect([tooLong.status, await tooLong.json()]).toEqual([400, expect.objectContaining({ code: 'validation_failed' })]);
  const stranger = await ask(console, '/deliveries/unknown/check_signature', {
    method: 'POST',
    cookie,
    body: { header },
  });
  expect(stranger.status).toBe(404);
});
