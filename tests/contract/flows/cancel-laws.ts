import assert from 'node:assert/strict';
import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import {
  anonymousToken,
  attempt,
  buyer,
  cancel,
  card,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
} from '../kit.js';
import { closeSession, CLOSINGS, SHORT_SESSIONS } from '../refusals/closed-session.js';
import { begin, delivered, readIntent, statusOf } from './scene.js';

const TOPIC = 'HTTP: the buyer cancels the session';
const PATH = '/v1/embed/session/cancel';

const cancelByBuyer = (world: HttpWorld, token: string, body?: object) =>
  world.send('POST', PATH, body === undefined ? { token } : { token, body });

export const cancelLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, `POST ${PATH} answers the cancelled session, ends its intent and is announced once`, async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, card(SANDBOX_CARDS.needsAuthentication));
    const { json } = expectStatus(await cancelByBuyer(world, token), 200);
    assert.deepEqual(
      [json['object'], json['id'], json['status'], json['intent_id']],
      ['embed_session', sessionId, 'cancelled', null],
    );
    assert.equal((await readIntent(world, token, intent))['status'], 'cancelled');
    assert.equal(await statusOf(world, sessionId), 'cancelled');
    expectRefusal(await attempt(world, token), 409, 'session_not_open');
    await world.t.gate.runDue();
    assert.deepEqual(delivered(world), ['created', 'cancelled']);
  }),
  httpLaw(
    TOPIC,
    'of a buyer and a partner who cancel at once one succeeds, and one event tells of it',
    async (world) => {
      const { token, sessionId } = await buyer(world);
      const answers = await Promise.all(
        [0, 1, 2].flatMap(() => [cancelByBuyer(world, token), cancel(world, sessionId)]),
      );
      const [done, ...others] = answers.toSorted((one, other) => one.status - other.status);
      assert.equal(done?.status, 200);
      for (const other of others) expectRefusal(other, 409, 'session_not_open');
      await world.t.gate.runDue();
      assert.deepEqual(delivered(world), ['created', 'cancelled']);
    },
  ),
  httpLaw(TOPIC, `POST ${PATH} answers 409 session_processing while money may be moving`, async (world) => {
    const { token, sessionId } = await buyer(world);
    await begin(world, token);
    expectRefusal(await cancelByBuyer(world, token), 409, 'session_processing');
    assert.equal(await statusOf(world, sessionId), 'open');
  }),
  ...CLOSINGS.map((status) =>
    httpLaw(
      TOPIC,
      `POST ${PATH} answers 409 session_not_open when the session is ${status}`,
      async (world) => {
        const { token, sessionId } = await buyer(world);
        await closeSession(world, sessionId, status);
        for (let again = 0; again < 2; again += 1)
          expectRefusal(await cancelByBuyer(world, token), 409, 'session_not_open');
        assert.equal(await statusOf(world, sessionId), status);
      },
      SHORT_SESSIONS,
    ),
  ),
  httpLaw(TOPIC, `POST ${PATH} answers 404 session_not_found to an anonymous token`, async (world) => {
    expectRefusal(await cancelByBuyer(world, await anonymousToken(world)), 404, 'session_not_found');
  }),
  httpLaw(TOPIC, `POST ${PATH} answers 400 unknown_field to any field`, async (world) => {
    const { token } = await buyer(world);
    expectRefusal(await cancelByBuyer(world, token, { reason: 'x' }), 400, 'unknown_field');
    expectStatus(await cancelByBuyer(world, token, {}), 200);
  }),
];
