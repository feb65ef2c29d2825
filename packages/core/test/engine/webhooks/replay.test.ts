import { ACCEPTED, REFUSED } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { partnerTools, deadLettered, DELIVERIES, rowsOf } from './partner-tools.js';

describe('POST /v1/webhooks/deliveries/{id}/replay', () => {
  it('202 sends the same event id and bytes again', async () => {
    const { t, get, post } = await partnerTools();
    const [id] = await deadLettered(t);
    const first = t.receiver.received[0];
    t.receiver.clear();
    t.receiver.answerWith(() => ({ ...ACCEPTED, responseBody: 'thanks' }));
    const replayed = await post(`${DELIVERIES}/${id}/replay`);
    expect(replayed.status).toBe(202);
    expect(replayed.json).toMatchObject({
      object: 'webhook_delivery',
      id,
      status: 'pending',
      attempt_count: 0,
      max_attempts: 5,
      replay_count: 1,
      dead_lettered_at: null,
      next_attempt_at: new Date(t.clock.now('test')).toISOString(),
    });
    expect(replayed.json['attempts']).toHaveLength(5);
    await t.gate.runDue();
    const [again] = t.receiver.received;
    expect([again?.id, again?.body, again?.verified]).toEqual([first?.id, first?.body, true]);
    const shown = (await get(`${DELIVERIES}/${id}`)).json;
    expect(shown).toMatchObject({ status: 'delivered', attempt_count: 1, replay_count: 1, next_attempt_at: null });
    const last = (shown['attempts'] as readonly object[]).at(-1);
    expect(last).toMatchObject({
      number: 6,
      trigger: 'replay',
      response_status: 200,
      response_body: 'thanks',
      error: null,
    });
  });

  it('has five new attempts, with the delays of the first ones', async () => {
    const { t, get, post } = await partnerTools();
    const [id] = await deadLettered(t);
    await post(`${DELIVERIES}/${id}/replay`);
    await t.clock.advance('4h');
    const { json } = await get(`${DELIVERIES}/${id}`);
    expect(json).toMatchObject({ status: 'dead_lettered', attempt_count: 5, replay_count: 1 });
    const attempts = json['attempts'] as readonly { readonly number: number; readonly trigger: string }[];
    expect(attempts.map(({ number, trigger }) => `${number} ${trigger}`)).toEqual([
      '1 initial',
      '2 scheduled',
      '3 scheduled',
      '4 scheduled',
      '5 scheduled',
      '6 replay',
      '7 scheduled',
      '8 scheduled',
      '9 scheduled',
      '10 scheduled',
    ]);
  });

  it('uses the current URL and the current secret', async () => {
    const { t, post, scope } = await partnerTools();
    const [id] = await deadLettered(t);
    await t.gate.admin.setEndpoint(scope, { url: 'https://moved.example/hooks', secret: null });
    t.receiver.clear();
    t.receiver.answerWith(() => ACCEPTED);
    await post(`${DELIVERIES}/${id}/replay`);
    await t.gate.runDue();
    expect(t.receiver.received.map(({ url }) => url)).toEqual(['https://moved.example/hooks']);
  });

  it.each(['pending', 'retrying', 'delivered'] as const)('409 while it is %s', async (status) => {
    const { t, get, post } = await partnerTools();
    t.receiver.answerWith(() => (status === 'delivered' ? ACCEPTED : REFUSED));
    await t.createSession();
    if (status !== 'pending') await t.gate.runDue();
    const [row] = rowsOf((await get(DELIVERIES)).json);
    expect(row?.['status']).toBe(status);
    const refused = await post(`${DELIVERIES}/${String(row?.['id'])}/replay`);
    expect([refused.status, refused.json['code']]).toEqual([409, 'delivery_not_dead_lettered']);
  });

  it('400 without a URL, and nothing is replayed', async () => {
    const { t, get, post, scope } = await partnerTools();
    const [id] = await deadLettered(t);
    await t.gate.admin.setEndpoint(scope, { url: null, secret: null });
    for (const path of [`${DELIVERIES}/${id}/replay`, `${DELIVERIES}/replay`]) {
      const refused = await post(path);
      expect([refused.status, refused.json['code']]).toEqual([400, 'webhook_url_not_configured']);
    }
    expect((await get(`${DELIVERIES}/${id}`)).json['status']).toBe('dead_lettered');
  });

  it("404 for an unknown id, a consumer's delivery, or a delivery of the other mode", async () => {
    const { t, get, post, scope } = await partnerTools();
    t.gate.on('gate_session.created', 'grant-value', () => Promise.reject(new Error('no')));
    const [id] = await deadLettered(t);
    const all = {
      status: null,
      eventType: null,
      eventId: null,
      sessionId: null,
      target: null,
      createdAfter: null,
      createdBefore: null,
    };
    const records = await t.store.list('delivery', scope, all, { start: { kind: 'newest' }, limit: 10 });
    const consumers = records.find(({ delivery }) => delivery.target !== 'webhook')?.delivery.id;
    expect(consumers).toBeDefined();
    for (const foreign of ['0'.repeat(24), consumers]) {
      expect((await post(`${DELIVERIES}/${foreign}/replay`)).json['code']).toBe('delivery_not_found');
      expect((await get(`${DELIVERIES}/${foreign}`)).status).toBe(404);
      expect((await get(`${DELIVERIES}?starting_after=${foreign}`)).status).toBe(404);
    }
    expect((await get(`${DELIVERIES}/${id}`, 'live')).status).toBe(404);
    expect(rowsOf((await get(DELIVERIES)).json)).toHaveLength(1);
  });

  it('a repeat with the same key returns the same bytes and replays nothing more', async () => {
    const { t, get, post } = await partnerTools();
    const [id] = await deadLettered(t);
    const first = await post(`${DELIVERIES}/${id}/replay`, { idempotencyKey: 'key-1' });
    await t.clock.advance('4h');
    const repeat = await post(`${DELIVERIES}/${id}/replay`, { idempotencyKey: 'key-1' });
    expect([repeat.status, repeat.text]).toEqual([202, first.text]);
    expect((await get(`${DELIVERIES}/${id}`)).json).toMatchObject({ status: 'dead_lettered', replay_count: 1 });
  });
});

describe('POST /v1/webhooks/deliveries/replay', () => {
  it('202 replays the oldest first, up to the limit, and says whether there are more', async () => {
    const { t, get, post } = await partnerTools();
    const ids = await deadLettered(t, 5);
    const first = await post(`${DELIVERIES}/replay`, { body: { limit: 3 } });
    expect([first.status, first.json]).toEqual([202, { object: 'webhook_replay', replayed: 3, has_more: true }]);
    const pending = rowsOf((await get(`${DELIVERIES}?status=pending`)).json);
    expect(pending.map(({ id }) => id)).toEqual(ids.slice(0, 3).reverse());
    const second = await post(`${DELIVERIES}/replay`);
    expect(second.json).toEqual({ object: 'webhook_replay', replayed: 2, has_more: false });
    expect((await post(`${DELIVERIES}/replay`)).json).toMatchObject({ replayed: 0, has_more: false });
    t.receiver.clear();
    t.receiver.answerWith(() => ACCEPTED);
    await t.gate.runDue();
    expect(t.receiver.received).toHaveLength(5);
  });

  it('replays only deliveries that match the filters', async () => {
    const { t, get, post } = await partnerTools();
    await deadLettered(t, 2);
    const [newer, older] = rowsOf((await get(DELIVERIES)).json);
    const bodies = [
      { event_type: 'gate_session.completed' },
      { created_after: '2100-01-01T00:00:00Z' },
      { created_before: older?.['created_at'] },
      { session_id: '0'.repeat(24) },
    ];
    for (const body of bodies) expect((await post(`${DELIVERIES}/replay`, { body })).json['replayed']).toBe(0);
    const one = await post(`${DELIVERIES}/replay`, {
      body: { session_id: newer?.['session_id'], event_type: 'gate_session.created' },
    });
    expect(one.json).toMatchObject({ replayed: 1, has_more: false });
    expect((await get(`${DELIVERIES}/${String(older?.['id'])}`)).json['status']).toBe('dead_lettered');
  });

  it.each([0, 1001, 1.5, '10'])('400 for a limit of %j', async (limit) => {
    const { post } = await partnerTools();
    expect((await post(`${DELIVERIES}/replay`, { body: { limit } })).status).toBe(400);
  });

  it('delays no new event: replays use the retry lane', async () => {
    const { t, post } = await partnerTools({ policy: { attemptsInFlightMax: 1 } });
    await deadLettered(t, 3);
    await post(`${DELIVERIES}/replay`);
    t.receiver.clear();
    let isAnswered: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (isAnswered = resolve));
    const fresh = await t.createSession();
    t.receiver.answerWith(async ({ body }) => {
      if (!body.includes(fresh.id)) await held;
      return ACCEPTED;
    });
    const running = t.gate.runDue();
    for (let turn = 0; turn < 50 && t.receiver.received.length === 0; turn += 1) await new Promise(setImmediate);
    expect(t.receiver.received.map(({ data }) => data['id'])).toEqual([fresh.id]);
    isAnswered();
    await running;
    expect(t.receiver.received).toHaveLength(4);
  });
});
