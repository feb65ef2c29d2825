import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { REQUEST_MAX_MS } from '../src/requests.js';
import { on, order, useFakeStripe, world } from './world.js';

const fake = useFakeStripe();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  fake.release();
  vi.useRealTimers();
});

type Leg = ReturnType<typeof world>['leg'];
const INTENT = '/v1/payment_intents/{intent}';
const authorized = async (leg: Leg) => void (await leg.authorize(order()));
const captured = async (leg: Leg) => {
  await leg.authorize(order());
  await leg.capture(on('op1-capture'));
};
const refund = (leg: Leg) => leg.refund({ ...on('refund1'), amount: '5.00', currency: 'EUR' });

test.each([
  ['POST /v1/payment_intents', async () => undefined, (leg: Leg) => leg.authorize(order()), 'authorized'],
  [`POST ${INTENT}/confirm`, async () => undefined, (leg: Leg) => leg.authorize(order()), 'authorized'],
  [`GET ${INTENT}`, authorized, (leg: Leg) => leg.capture(on('op1-capture')), 'captured'],
  [`POST ${INTENT}/capture`, authorized, (leg: Leg) => leg.capture(on('op1-capture')), 'captured'],
  [`POST ${INTENT}/cancel`, authorized, (leg: Leg) => leg.void(on('op1-void')), 'voided'],
  ['POST /v1/refunds', captured, refund, 'refunded'],
] as const)(
  'a client that does not answer %s has an unknown result, and the call can be repeated',
  async (...given) => {
    const [operation, prepare, call, kind] = given;
    const { leg } = world(fake);
    await prepare(leg);
    fake.fail(operation, 'held');
    const result = call(leg).catch(String);
    await expect.poll(() => fake.isHolding).toBe(true);
    await vi.advanceTimersByTimeAsync(REQUEST_MAX_MS);
    expect(await result).toMatch(/is unknown \(timeout\)/);
    fake.release();
    vi.useRealTimers();
    await expect.poll(() => call(leg).catch(String)).toMatchObject({ kind });
    expect(fake.chargesOf('op1-authorize')).toHaveLength(kind === 'voided' ? 0 : 1);
    expect(fake.books.refunds.size).toBe(kind === 'refunded' ? 1 : 0);
  },
);
