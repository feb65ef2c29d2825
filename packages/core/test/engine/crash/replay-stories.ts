import { ACCEPTED, REFUSED, type TestGate } from '@gateramp/testing';
import { expect } from 'vitest';
import type { Buyer } from './buyer.js';
import { expectNothingUnderWay } from './expect-whole.js';

type Json = Readonly<Record<string, unknown>>;

/** A partner whose endpoint fails until a webhook is dead-lettered, and who replays it. All requests can be repeated. */
export const REPLAYS = {
  'a dead webhook that is replayed': {
    live: async (buyer: Buyer): Promise<string> => {
      const key = buyer.t.keys.secret.test;
      if (!buyer.hasAsked('replay')) buyer.t.receiver.answerWith(() => REFUSED);
      const tested = await buyer.ask('test', '/v1/webhooks/test', { key });
      expect(tested.status, tested.text).toBe(202);
      const id = String(tested.json['delivery_id']);
      if (!buyer.hasAsked('replay')) {
        for (let hour = 0; (await shown(buyer.t, id))['status'] !== 'dead_lettered'; hour += 1) {
          if (hour > HOURS_MAX) throw new Error('The webhook does not die.');
          await buyer.workFor('1h');
        }
      }
      buyer.t.receiver.answerWith(() => ACCEPTED);
      const replayed = await buyer.ask('replay', `/v1/webhooks/deliveries/${id}/replay`, { key });
      expect(replayed.status, replayed.text).toBe(202);
      await buyer.workFor('1m');
      return id;
    },
  },
};

/** The delays between five attempts add up to 2 h 36 m, and each crash may cost a lease. */
const HOURS_MAX = 6;

/** One replay, shown in the log with all earlier attempts, and the same bytes in every attempt. */
export async function expectReplayedOnce(t: TestGate, id: string): Promise<void> {
  const delivery = await shown(t, id);
  expect(delivery).toMatchObject({ status: 'delivered', replay_count: 1, attempt_count: 1, next_attempt_at: null });
  const attempts = delivery['attempts'] as readonly Json[];
  expect(attempts.map(({ number, trigger }) => `${String(number)} ${String(trigger)}`)).toEqual([
    '1 initial',
    '2 scheduled',
    '3 scheduled',
    '4 scheduled',
    '5 scheduled',
    '6 replay',
  ]);
  const { received } = t.receiver;
  expect(received.length).toBeGreaterThanOrEqual(6);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(received.every(({ verified, id: eventId }) => verified && eventId === delivery['event_id'])).toBe(true);
  await expectNothingUnderWay(t, ['delivery_dead_lettered']);
}

async function shown(t: TestGate, id: string): Promise<Json> {
  const answer = await t.request('GET', `/v1/webhooks/deliveries/${id}`, { key: t.keys.secret.test });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}
