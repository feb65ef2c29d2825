import type { WebhookAnswer } from '@gateramp/core/ports';
import { ACCEPTED, createTestGate, TEST_WEBHOOK_SECRET, testDeadlines, type TestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';

const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

const createIn = (t: TestGate, mode: 'test' | 'live') =>
  t.gate.sessions.create({ partnerId: t.partner.id, mode }, BODY);

it('live webhooks go out while the test clock is being moved', async () => {
  const t = await createTestGate();
  let release = (_answer: WebhookAnswer): void => undefined;
  let isHeld = false;
  t.receiver.answerWith((webhook) => {
    if (webhook.body.includes('"livemode":true')) return ACCEPTED;
    isHeld = true;
    return new Promise((resolve) => (release = resolve));
  });
  await createIn(t, 'test');
  const advancing = t.gate.advanceTestClock(60_000);
  await expect.poll(() => isHeld).toBe(true);

  await createIn(t, 'live');
  const running = t.gate.runDue();
  await expect.poll(() => t.deliveries().map(({ livemode }) => livemode)).toEqual([true]);
  release(ACCEPTED);
  await Promise.all([advancing, running]);
  expect(t.deliveries().map(({ livemode }) => livemode)).toEqual([true, false]);
});

it('while it is moved nothing else of test mode is begun', async () => {
  const t = await createTestGate();
  let release = (_answer: WebhookAnswer): void => undefined;
  let sent = 0;
  t.receiver.answerWith(() => {
    sent += 1;
    return sent === 1 ? new Promise((resolve) => (release = resolve)) : ACCEPTED;
  });
  await createIn(t, 'test');
  const advancing = t.gate.advanceTestClock(60_000);
  await expect.poll(() => sent).toBe(1);
  await createIn(t, 'test');
  const running = t.gate.runDue();
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBe(1);
  release(ACCEPTED);
  await Promise.all([advancing, running]);
  expect(sent).toBe(2);
});

it('two advances at once take turns: both spans pass, and what one is attempting the other does not begin again', async () => {
  const t = await createTestGate();
  const start = t.clock.now('test');
  let release = (_answer: WebhookAnswer): void => undefined;
  let sent = 0;
  t.receiver.answerWith(() => {
    sent += 1;
    return sent === 1 ? new Promise((resolve) => (release = resolve)) : ACCEPTED;
  });
  await createIn(t, 'test');
  const advancing = [t.gate.advanceTestClock(60_000), t.gate.advanceTestClock(60_000)];
  await expect.poll(() => sent).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  release(ACCEPTED);
  const ends = (await Promise.all(advancing)).map(({ now }) => now - start);
  expect(ends).toEqual([60_000, 120_000]);
  expect(sent).toBe(1);
});

it('one advance that takes too long stops at an instant something was due, says where, and the next goes on from there', async () => {
  const deadlines = testDeadlines();
  const t = await createTestGate({ ports: { deadlines } });
  const start = t.clock.now('test');
  t.receiver.answerWith(() => {
    if (t.deliveries().length === 2) deadlines.expire();
    return { responseStatus: 500, responseBody: '', error: null };
  });
  await createIn(t, 'test');
  const first = await t.gate.advanceTestClock(86_400_000);
  // The attempts at once, after a minute and after five more; the rest waits.
  expect([first.now - start, first.fired.length]).toEqual([360_000, 3]);
  const second = await t.gate.advanceTestClock(86_400_000);
  expect([second.now - first.now, second.fired.filter(({ type }) => type === 'delivery')]).toMatchObject([
    86_400_000,
    [{}, {}],
  ]);
});

it('leaves no caller waiting when it is done', async () => {
  const deadlines = testDeadlines();
  const t = await createTestGate({ ports: { deadlines } });
  await t.clock.advance('1h');
  expect(deadlines.waiting).toEqual([]);
});

it('reaches no further than the year 9999; ids keep their order and their twelve digits, and instants their text', async () => {
  const t = await createTestGate();
  const before = await t.createSession();
  const far = await t.gate.advanceTestClock(9_000 * 365 * 86_400_000);
  expect(new Date(far.now).toISOString()).toBe('9999-01-01T00:00:00.000Z');
  expect((await t.gate.advanceTestClock(86_400_000)).now).toBe(far.now);
  const after = await t.createSession();
  expect(after.id).toMatch(/^[0-9a-f]{24}$/);
  expect(after.id > before.id).toBe(true);
  expect(after.expires_at).toBe('9999-01-02T00:00:00.000Z');
});

const ADVANCE = '/v1/test_helpers/clock/advance';

it('over HTTP one advance runs at a time: another is 409 operation_in_progress and moves nothing', async () => {
  const t = await createTestGate();
  const start = t.clock.now('test');
  let release = (_answer: WebhookAnswer): void => undefined;
  let sent = 0;
  t.receiver.answerWith(() => {
    sent += 1;
    return new Promise((resolve) => (release = resolve));
  });
  await createIn(t, 'test');
  const advance = () => t.request('POST', ADVANCE, { key: t.keys.secret.test, body: { seconds: 60 } });
  const first = advance();
  await expect.poll(() => sent).toBe(1);
  expect(await advance()).toMatchObject({ status: 409, json: { code: 'operation_in_progress' } });
  release(ACCEPTED);
  expect((await first).status).toBe(200);
  expect(t.clock.now('test') - start).toBe(60_000);
  expect((await advance()).status).toBe(200);
});

it('over HTTP it runs at most twenty years ahead of the wall clock: 400 with what is left', async () => {
  const wall = Date.UTC(2030, 0, 1);
  let ahead = 0;
  const clock = {
    now: (mode: 'test' | 'live') => wall + (mode === 'test' ? ahead : 0),
    wall: () => wall,
    advanceTo: async (instant: number) => void (ahead = Math.max(ahead, instant - wall)),
  };
  const t = await createTestGate({ ports: { testClock: clock } });
  const advance = (seconds: number) => t.request('POST', ADVANCE, { key: t.keys.secret.test, body: { seconds } });
  const tenYears = 315_360_000;
  for (const seconds of [tenYears, tenYears - 10]) expect((await advance(seconds)).status).toBe(200);
  expect(await advance(11)).toMatchObject({
    status: 400,
    json: { code: 'validation_failed', message: expect.stringContaining('at most 10 now') },
  });
  expect((await advance(10)).status).toBe(200);
  expect((await advance(1)).status).toBe(400);
});

it('while the sandbox of one partner is stepped, only the stepping runs its work; the work of others continues', async () => {
  const t = await createTestGate({ policy: { testClock: 'partner' } });
  const rival = { ...t.partner, id: '65f0c0ffee65f0c0ffee0002', name: 'Rival' };
  const endpoint = { url: 'https://shop.example/rival', secret: TEST_WEBHOOK_SECRET };
  await t.gate.admin.savePartner(rival);
  await t.gate.admin.setEndpoint({ partnerId: rival.id, mode: 'test' }, endpoint);
  const sent: string[] = [];
  let release = (): void => undefined;
  const hanging = new Promise<void>((resolve) => (release = resolve));
  t.receiver.answerWith(async ({ url }) => {
    sent.push(url);
    if (url !== endpoint.url) await hanging;
    return ACCEPTED;
  });
  for (let nth = 0; nth < 2; nth += 1) await createIn(t, 'test');
  const stepping = t.gate.advanceTestClock(60_000, t.partner.id);
  await expect.poll(() => sent.length).toBe(1);
  const created = await t.gate.sessions.create({ partnerId: rival.id, mode: 'test' }, BODY);
  expect(created.isOk()).toBe(true);
  await t.gate.runDue();
  expect(sent.slice(1)).toEqual([endpoint.url]);
  release();
  expect((await stepping).fired).toHaveLength(2);
  expect(sent).toHaveLength(3);
});
