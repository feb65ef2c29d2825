import assert from 'node:assert/strict';
import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import {
  buyer,
  card,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  membersOf,
  open,
  simulate,
  textOf,
} from '../kit.js';
import { actionOf, begin, delivered, failureCode, readTransaction, statusOf } from './scene.js';

const TOPIC = 'HTTP: simulated scenarios';

interface Scene {
  readonly scenario: string;
  readonly intent: string;
  readonly failure: string | null;
  readonly session: string;
  readonly transaction: string;
  readonly delivered: readonly string[];
}

const SCENES: readonly Scene[] = [
  {
    scenario: 'succeed',
    intent: 'succeeded',
    failure: null,
    session: 'completed',
    transaction: 'completed',
    delivered: ['created', 'processing', 'completed'],
  },
  {
    scenario: 'decline',
    intent: 'failed',
    failure: 'payment_declined',
    session: 'open',
    transaction: 'failed',
    delivered: ['created', 'failed'],
  },
  {
    scenario: 'kyc_required',
    intent: 'requires_action',
    failure: null,
    session: 'open',
    transaction: 'pending',
    delivered: ['created', 'kyc.required'],
  },
  {
    scenario: 'kyc_rejected',
    intent: 'failed',
    failure: 'kyc_rejected',
    session: 'open',
    transaction: 'failed',
    delivered: ['created', 'kyc.required', 'failed'],
  },
  {
    scenario: 'processing',
    intent: 'processing',
    failure: null,
    session: 'open',
    transaction: 'processing',
    delivered: ['created', 'processing'],
  },
  {
    scenario: 'settlement_error',
    intent: 'failed',
    failure: 'settlement_error',
    session: 'open',
    transaction: 'failed',
    delivered: ['created', 'processing', 'failed'],
  },
  {
    scenario: 'abandon',
    intent: 'requires_action',
    failure: null,
    session: 'open',
    transaction: 'pending',
    delivered: ['created', 'kyc.required'],
  },
];

async function play(world: HttpWorld, sessionId: string, scenario: string): Promise<Members> {
  return expectStatus(await simulate(world, sessionId, scenario), 200).json;
}

const scenes: readonly Law<HttpSubject>[] = SCENES.flatMap((scene) =>
  (['on_ramp', null] as const).map((flow) =>
    httpLaw(
      TOPIC,
      `${scene.scenario} leaves the intent ${scene.intent} and the session ${scene.session}${flow === null ? ', also where no flow is fixed' : ''}`,
      async (world) => {
        const id = textOf(await open(world, { flow }), 'id');
        const intent = await play(world, id, scene.scenario);
        await world.t.gate.runDue();
        assert.deepEqual([intent['status'], failureCode(intent)], [scene.intent, scene.failure]);
        assert.equal(await statusOf(world, id), scene.session);
        assert.equal((await readTransaction(world, intent))['status'], scene.transaction);
        assert.deepEqual(delivered(world), scene.delivered);
      },
    ),
  ),
);

const flows: readonly Law<HttpSubject>[] = ['off_ramp', 'swap'].flatMap((flow) =>
  SCENES.filter((scene) => ['succeed', 'decline', 'processing', 'settlement_error'].includes(scene.scenario)).map(
    (scene) =>
      httpLaw(TOPIC, `${scene.scenario} plays in ${flow} as it does in on_ramp`, async (world) => {
        const id = textOf(await open(world, { flow }), 'id');
        const intent = await play(world, id, scene.scenario);
        assert.deepEqual(
          [intent['status'], failureCode(intent), await statusOf(world, id)],
          [scene.intent, scene.failure, scene.session],
        );
      }),
  ),
);

/** Every corridor that the sandbox serves, as terms of a session. */
const TERMS: readonly Members[] = [
  { flow: 'on_ramp', target_token: 'ETH' },
  { flow: 'on_ramp', target_token: 'eth', target_network: 'Ethereum' },
  { flow: 'on_ramp', target_token: 'USDC', target_network: 'ethereum' },
  { flow: 'on_ramp', target_network: 'ethereum', currency: 'USD' },
  { flow: null, target_token: 'ETH', amount: '10000' },
  { flow: 'swap', target_token: 'ETH' },
  { flow: 'swap', target_network: 'ethereum', currency: 'USD' },
  { flow: 'swap', target_token: 'USDC', amount: '14.50' },
  { flow: 'off_ramp', target_token: 'USDC', currency: 'USD', amount: '1.00' },
  { flow: 'off_ramp', wallet_address: `0x${'1'.repeat(40)}` },
  { flow: 'on_ramp', wallet_address: `0x${'1'.repeat(40)}`, amount: '1' },
];

const terms: readonly Law<HttpSubject>[] = TERMS.map((fixed) =>
  httpLaw(TOPIC, `simulate follows the session's terms: ${JSON.stringify(fixed)}`, async (world) => {
    for (const scene of SCENES.filter(({ scenario }) => scenario !== 'kyc_rejected')) {
      const session = await open(world, fixed);
      const intent = await play(world, textOf(session, 'id'), scene.scenario);
      assert.deepEqual([intent['status'], failureCode(intent)], [scene.intent, scene.failure], scene.scenario);
      for (const [name, value] of Object.entries(fixed)) if (value !== null) assert.equal(intent[name], value, name);
    }
  }),
);

export const scenarioLaws: readonly Law<HttpSubject>[] = [
  ...scenes,
  ...flows,
  ...terms,
  httpLaw(TOPIC, 'a scenario drives the live intent of the session where there is one', async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, card(SANDBOX_CARDS.needsAuthentication));
    const driven = await play(world, sessionId, 'succeed');
    assert.deepEqual([driven['id'], driven['status']], [intent['id'], 'succeeded']);
  }),
  httpLaw(TOPIC, 'processing parks the intent until a later scenario ends it', async (world) => {
    const id = textOf(await open(world), 'id');
    const parked = await play(world, id, 'processing');
    await world.t.clock.advance('1h');
    assert.equal((await readTransaction(world, parked))['status'], 'processing');
    const ended = await play(world, id, 'succeed');
    assert.deepEqual(
      [ended['id'], ended['status'], await statusOf(world, id)],
      [parked['id'], 'succeeded', 'completed'],
    );
  }),
  httpLaw(
    TOPIC,
    'a session whose money is moving is held: it neither expires nor cancels, and completes even then',
    async (world) => {
      const id = textOf(await open(world), 'id');
      await play(world, id, 'processing');
      await world.t.clock.advance('25h');
      assert.equal(await statusOf(world, id), 'open');
      await play(world, id, 'succeed');
      assert.equal(await statusOf(world, id), 'completed');
      await world.t.clock.advance('1m');
      assert.deepEqual(delivered(world), ['created', 'processing', 'completed']);
      assert.ok(world.t.telemetry.alarms.some((alarm) => alarm.name === 'session_held_too_long'));
    },
  ),
  httpLaw(TOPIC, 'a held session that is overdue expires once its intent has failed', async (world) => {
    const id = textOf(await open(world), 'id');
    await play(world, id, 'processing');
    await world.t.clock.advance('25h');
    await play(world, id, 'settlement_error');
    assert.equal(await statusOf(world, id), 'expired');
  }),
  httpLaw(
    TOPIC,
    'late_settlement never completes a cancelled session: the transaction shows it, an operator hears, the partner is notified',
    async (world) => {
      const id = textOf(await open(world), 'id');
      const intent = await play(world, id, 'late_settlement');
      await world.t.gate.runDue();
      assert.equal(await statusOf(world, id), 'cancelled');
      const transaction = await readTransaction(world, intent);
      assert.deepEqual([transaction['status'], transaction['settled_after_close']], ['completed', true]);
      assert.ok(world.t.telemetry.alarms.some((alarm) => alarm.name === 'settled_after_close'));
      const events = delivered(world);
      assert.equal(events.includes('completed'), false);
      assert.equal(events.at(-1), 'transaction.updated');
      assert.equal(membersOf(world.t.deliveries().at(-1)?.data)['settled_after_close'], true);
    },
  ),
  httpLaw(TOPIC, 'after a failure the next scenario makes the next attempt', async (world) => {
    const id = textOf(await open(world), 'id');
    assert.equal((await play(world, id, 'decline'))['attempt'], 1);
    assert.equal((await play(world, id, 'kyc_rejected'))['attempt'], 2);
    assert.equal((await play(world, id, 'succeed'))['attempt'], 3);
  }),
  httpLaw(TOPIC, 'abandon stops at the first required action', async (world) => {
    const id = textOf(await open(world), 'id');
    assert.ok(typeof actionOf(await play(world, id, 'abandon'))['type'] === 'string');
  }),
  httpLaw(TOPIC, 'simulate answers 422 corridor_not_supported where no provider serves the session', async (world) => {
    expectRefusal(
      await simulate(world, textOf(await open(world, { currency: 'GBP' }), 'id'), 'succeed'),
      422,
      'corridor_not_supported',
    );
  }),
  httpLaw(TOPIC, 'simulate answers 422 amount_above_maximum where the provider does', async (world) => {
    expectRefusal(
      await simulate(world, textOf(await open(world, { amount: '10000.01' }), 'id'), 'succeed'),
      422,
      'amount_above_maximum',
    );
  }),
];
