import { CLAIMS_MAX } from '../../../src/domain/task.js';
import { DELIVERY_LEASE } from '../../../src/domain/webhook/delivery.js';
import { REFUSED } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { until } from '../until.js';
import { partnerTools, DELIVERIES, rowsOf } from './partner-tools.js';

it('GET /v1/webhooks/deliveries lists newest first, with every filter, with attempts and without response bodies', async () => {
  const { t, get } = await partnerTools();
  t.receiver.answerWith(() => ({ ...REFUSED, responseBody: 'not today' }));
  const first = await t.createSession();
  await t.clock.advance('2s');
  const second = await t.createSession();
  await t.gate.runDue();
  const page = await get(DELIVERIES);
  expect(page.status).toBe(200);
  expect(page.json).toMatchObject({ object: 'list', has_more: false, url: DELIVERIES });
  const [newer, older] = rowsOf(page.json);
  expect([newer?.['session_id'], older?.['session_id']]).toEqual([second.id, first.id]);
  expect(newer).toMatchObject({
    status: 'retrying',
    last_response_status: 500,
    last_error: null,
    url: expect.any(String),
  });
  expect(newer?.['attempts']).toMatchObject([
    { number: 1, trigger: 'initial', response_status: 500, response_body: null },
  ]);
  const shown = await get(`${DELIVERIES}/${String(newer?.['id'])}`);
  expect(shown.json['attempts']).toMatchObject([{ response_body: 'not today' }]);
  const found = async (query: string) => rowsOf((await get(`${DELIVERIES}?${query}`)).json).map(({ id }) => id);
  expect(await found(`session_id=${first.id}`)).toEqual([older?.['id']]);
  expect(await found(`event_id=${String(newer?.['event_id'])}`)).toEqual([newer?.['id']]);
  expect(await found('event_type=gate_session.created&status=retrying')).toEqual([newer?.['id'], older?.['id']]);
  expect(await found('event_type=gate_session.expired')).toEqual([]);
  expect(await found('status=pending')).toEqual([]);
  expect(await found(`created_after=${String(newer?.['created_at'])}`)).toEqual([newer?.['id']]);
  expect(await found(`created_before=${String(newer?.['created_at'])}`)).toEqual([older?.['id']]);
  expect(await found('limit=1')).toEqual([newer?.['id']]);
  expect(await found(`starting_after=${String(newer?.['id'])}`)).toEqual([older?.['id']]);
});

it('a parked delivery is shown as retrying, with no next attempt', async () => {
  const { t, get } = await partnerTools();
  await t.createSession();
  let calls = 0;
  const hanging = { send: () => ((calls += 1), new Promise<never>(() => undefined)), close: () => Promise.resolve() };
  for (let death = 0; death < CLAIMS_MAX; death += 1) {
    void t.restart({ sender: hanging }).gate.runDue();
    await until(() => calls > death);
    await t.clock.advanceTo(t.clock.now('test') + DELIVERY_LEASE);
  }
  await t.gate.runDue();
  const [row] = rowsOf((await get(`${DELIVERIES}?status=retrying`)).json);
  expect(row).toMatchObject({ status: 'retrying', next_attempt_at: null, attempt_count: 0, attempts: [] });
  expect(rowsOf((await get(`${DELIVERIES}?status=pending`)).json)).toEqual([]);
});

it('POST /v1/webhooks/test sends a signed webhook.test whose data is not live, and names its delivery', async () => {
  const { t, get, post, scope } = await partnerTools();
  const tested = await post('/v1/webhooks/test');
  expect(tested.status).toBe(202);
  const { delivery_id: delivery, event_id: event, ...rest } = tested.json;
  expect(rest).toEqual({
    object: 'webhook_test_result',
    type: 'webhook.test',
    url: 'https://shop.example/hooks',
    queued_at: new Date(t.clock.now('test')).toISOString(),
  });
  await t.gate.runDue();
  expect(t.receiver.received).toMatchObject([
    {
      id: event,
      type: 'webhook.test',
      verified: true,
      sequence: null,
      data: { object: 'webhook_test', livemode: false, mode: 'test' },
    },
  ]);
  expect((await get(`${DELIVERIES}/${String(delivery)}`)).json).toMatchObject({
    status: 'delivered',
    session_id: null,
  });
  await t.gate.admin.setEndpoint({ ...scope, mode: 'live' }, { url: null, secret: null });
  const live = await t.request('POST', '/v1/webhooks/test', { key: t.keys.secret.live, mode: 'live' });
  expect([live.status, live.json['code']]).toEqual([400, 'webhook_url_not_configured']);
});

it('a repeat of webhook.test with the same key sends no second event', async () => {
  const { t, post } = await partnerTools();
  const first = await post('/v1/webhooks/test', { idempotencyKey: 'key-1' });
  const repeat = await post('/v1/webhooks/test', { idempotencyKey: 'key-1' });
  expect(repeat.text).toBe(first.text);
  await t.gate.runDue();
  expect(t.receiver.received).toHaveLength(1);
});

it('GET /v1/webhooks/endpoint shows the URL of the endpoint and its health', async () => {
  const { t, get, scope } = await partnerTools();
  const endpoint = async () => (await get('/v1/webhooks/endpoint')).json;
  expect(await endpoint()).toEqual({
    object: 'webhook_endpoint',
    mode: 'test',
    url: 'https://shop.example/hooks',
    secret_prefix: expect.stringMatching(/^whsec_.{4}$/),
    status: 'healthy',
    paused_at: null,
    consecutive_failures: 0,
    last_success_at: null,
    last_failure_at: null,
    last_error: null,
  });
  t.receiver.answerWith(() => REFUSED);
  await t.createSession();
  await t.clock.advance('2m');
  expect(await endpoint()).toMatchObject({ status: 'failing', consecutive_failures: 2, last_error: 'http_500' });
  t.receiver.answerWith(() => ({ ...REFUSED, responseStatus: 204 }));
  await t.clock.advance('5m');
  expect(await endpoint()).toMatchObject({ status: 'healthy', consecutive_failures: 0, last_error: 'http_500' });
  await t.gate.admin.setEndpoint(scope, { url: null, secret: null });
  expect(await endpoint()).toMatchObject({ status: 'not_configured', url: null });
});
