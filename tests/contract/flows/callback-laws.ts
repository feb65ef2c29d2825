import assert from 'node:assert/strict';
import {
  CALLBACK_SIGNATURE_HEADER,
  SANDBOX_TEST_CALLBACK_SECRET,
  signSandboxCallback,
} from '@gateramp/adapters-provider-sandbox';
import {
  buyer,
  CALLBACK_SECRET,
  cancel,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  simulate,
  textOf,
  waitingIntent,
} from '../kit.js';
import { begin, delivered, failureCode, readIntent, readTransaction, statusOf } from './scene.js';

const TOPIC = 'HTTP: provider callbacks';

const CALLBACKS = '/v1/providers/sandbox/callbacks';

async function report(
  world: HttpWorld,
  intent: Members,
  eventId: string,
  outcome: string,
  { failure = null, query = '' }: { failure?: unknown; query?: string } = {},
): Promise<void> {
  const stored = await world.t.store.find(
    'intent',
    { partnerId: world.t.partner.id, mode: 'test' },
    textOf(intent, 'id'),
  );
  const body = JSON.stringify({ event_id: eventId, operation_id: stored?.operationId, outcome, failure });
  const headers = { [CALLBACK_SIGNATURE_HEADER]: signSandboxCallback(body, CALLBACK_SECRET, world.t.clock.wall()) };
  const answer = expectStatus(await world.send('POST', `${CALLBACKS}${query}`, { body, headers }), 200);
  assert.deepEqual(answer.json, { object: 'provider_callback', received: true });
}

async function events(world: HttpWorld): Promise<readonly string[]> {
  await world.t.gate.runDue();
  return delivered(world);
}

async function parked(world: HttpWorld) {
  const who = await buyer(world);
  return { ...who, intent: expectStatus(await simulate(world, who.sessionId, 'processing'), 200).json };
}

export const callbackLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'a reported success completes the session', async (world) => {
    const { intent, sessionId, token } = await parked(world);
    await report(world, intent, 'e1', 'succeeded');
    assert.deepEqual(
      [await statusOf(world, sessionId), (await readIntent(world, token, intent))['status']],
      ['completed', 'succeeded'],
    );
    assert.deepEqual(await events(world), ['created', 'processing', 'completed']);
  }),
  httpLaw(TOPIC, 'the documented test secret signs callbacks of test mode, and none of live mode', async (world) => {
    const { intent, sessionId } = await parked(world);
    // A client knows the operation from the session and the number of the attempt.
    const operation = `op_${sessionId}_${String(intent['attempt'])}`;
    const body = JSON.stringify({ event_id: 'e1', operation_id: operation, outcome: 'succeeded' });
    const signature = signSandboxCallback(body, SANDBOX_TEST_CALLBACK_SECRET, world.t.clock.wall());
    const headers = { [CALLBACK_SIGNATURE_HEADER]: signature };
    const live = await world.send('POST', CALLBACKS, { body, headers, mode: 'live' });
    expectRefusal(live, 401, 'malformed_credential');
    expectStatus(await world.send('POST', CALLBACKS, { body, headers }), 200);
    assert.equal(await statusOf(world, sessionId), 'completed');
  }),
  httpLaw(TOPIC, 'a callback may have any query: it is the provider that chose the address', async (world) => {
    const { intent, sessionId } = await parked(world);
    await report(world, intent, 'e1', 'processing', { query: '?account=1&account=2&%00=%zz' });
    await report(world, intent, 'e2', 'succeeded', { query: '?' });
    assert.equal(await statusOf(world, sessionId), 'completed');
  }),
  httpLaw(TOPIC, 'the same event counts once, however often and however late it is repeated', async (world) => {
    const { intent } = await parked(world);
    await Promise.all([1, 2, 3].map(() => report(world, intent, 'e1', 'succeeded')));
    await world.t.clock.advance('3h');
    await report(world, intent, 'e1', 'succeeded');
    assert.deepEqual(await events(world), ['created', 'processing', 'completed']);
  }),
  httpLaw(TOPIC, 'out of order is accepted by rank: processing after success takes nothing back', async (world) => {
    const { intent, sessionId } = await parked(world);
    await report(world, intent, 'e2', 'succeeded');
    await report(world, intent, 'e1', 'processing');
    await report(world, intent, 'e0', 'failed');
    assert.deepEqual(
      [await statusOf(world, sessionId), (await readTransaction(world, intent))['status']],
      ['completed', 'completed'],
    );
    assert.deepEqual(await events(world), ['created', 'processing', 'completed']);
  }),
  httpLaw(
    TOPIC,
    'a reported failure fails the intent with what the provider says, and leaves the session open',
    async (world) => {
      const { intent, sessionId, token } = await parked(world);
      const failure = { code: 'payout_rejected', stage: 'payment', message: 'No.', retryable: true };
      await report(world, intent, 'e1', 'failed', { failure });
      assert.deepEqual(
        [failureCode(await readIntent(world, token, intent)), await statusOf(world, sessionId)],
        ['payout_rejected', 'open'],
      );
      assert.equal((await begin(world, token))['attempt'], 2);
    },
  ),
  ...['refunded', 'charged_back'].map((outcome) =>
    httpLaw(
      TOPIC,
      `money that is ${outcome} after it settled changes the transaction alone, and the partner is notified`,
      async (world) => {
        const { intent, sessionId } = await parked(world);
        await report(world, intent, 'e1', 'succeeded');
        await report(world, intent, 'e2', outcome);
        assert.deepEqual(
          [await statusOf(world, sessionId), (await readTransaction(world, intent))['status']],
          ['completed', outcome],
        );
        assert.deepEqual(await events(world), ['created', 'processing', 'completed', 'transaction.updated']);
        assert.equal(
          world.t.telemetry.alarms.some((alarm) => alarm.name === 'charged_back'),
          outcome === 'charged_back',
        );
      },
    ),
  ),
  httpLaw(TOPIC, 'a success after the session was cancelled is never lost, and never a completed', async (world) => {
    const who = await buyer(world);
    const intent = await waitingIntent(world, who.token);
    expectStatus(await cancel(world, who.sessionId), 200);
    await report(world, intent, 'e1', 'succeeded');
    const transaction = await readTransaction(world, intent);
    assert.deepEqual(
      [transaction['status'], transaction['settled_after_close'], await statusOf(world, who.sessionId)],
      ['completed', true, 'cancelled'],
    );
    assert.deepEqual(await events(world), ['created', 'cancelled', 'transaction.updated']);
  }),
];
