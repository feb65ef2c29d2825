import assert from 'node:assert/strict';
import type { Instant, Mode } from '@gateramp/core/domain';
import type { ChainLeg, LegCall, SendOrder, SendResult } from '@gateramp/provider-legs';
import { lawsOnTrial, type Law } from './law.js';

/** The chain leg under test. */
export interface ChainLegSubject {
  /** Creates a leg with a funded wallet that has not seen the ids of this trial. */
  create(): Promise<ChainLegOnTrial>;
}

/** A chain leg, with control over the blocks of its chain. */
export interface ChainLegOnTrial {
  readonly leg: ChainLeg;
  /** Another process on the same wallet. */
  readonly other: ChainLeg;
  readonly mode: Mode;
  readonly now: () => Instant;
  /** A network that requires at least two confirmations. The wallet has more than 100 of `asset` on it. */
  readonly network: string;
  readonly asset: string;
  /** Begins all call ids. Unique among all trials. */
  readonly id: string;
  /** Returns a new address, to which nothing was sent yet. */
  readonly freshAddress: () => string;
  /** Makes this number of blocks, one after the other. The leg works before and after each. */
  pass(blocks: number): Promise<void>;
  /** Pays tokens to an address, in the next block. */
  pay(to: string, amount: string): Promise<void>;
  /** Replaces the newest blocks by as many empty ones, and lets the leg see it. Payments in the replaced blocks are lost. */
  reorganize(blocks: number): Promise<void>;
  /** The amounts of all transfers of the token to the address that are in a block, as decimal text. */
  received(to: string): Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

/** Laws of sends, which move tokens once, of the reservations before them, and of deposits with their confirmations. */
export const chainLegLaws: readonly Law<ChainLegSubject>[] = lawsOnTrial<ChainLegOnTrial>('the chain leg', {
  async 'sends once per id, however often it is called, and counts confirmations from the block of the transfer'(
    trial,
  ) {
    const order = orderOf(trial);
    const first = await trial.leg.send(order);
    assert.ok(first.kind === 'sending');
    assert.ok(first.required >= 2);
    assert.equal(first.seen, 0);
    for (let seen = 1; seen < first.required; seen += 1) {
      await trial.pass(1);
      assert.deepEqual(progressOf(await trial.leg.send(renewed(trial, order))), ['sending', seen]);
    }
    await trial.pass(1);
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual(progressOf(await trial.leg.send(renewed(trial, order))), ['confirmed', first.required]);
    assert.deepEqual(amounts(await trial.received(order.to)), [10]);
  },

  async 'sends once when several processes call with the same id concurrently'(trial) {
    const order = orderOf(trial);
    const { leg, other } = trial;
    const results = await Promise.all([leg, other, leg, other].map((one) => one.send(order)));
    assert.equal(new Set(results.map((result) => (result.kind === 'refused' ? null : result.hash))).size, 1);
    await settled(trial, order);
    assert.deepEqual(amounts(await trial.received(order.to)), [10]);
  },

  async 'executes every one of many sends from several processes'(trial) {
    const to = trial.freshAddress();
    const orders = Array.from({ length: 8 }, (_, at) => orderOf(trial, { callId: `${trial.id}-many_${at}`, to }));
    await Promise.all(orders.map((order, at) => (at % 2 === 0 ? trial.leg : trial.other).send(order)));
    for (const order of orders) assert.equal((await settled(trial, order)).kind, 'confirmed');
    assert.deepEqual(
      amounts(await trial.received(to)),
      Array.from({ length: 8 }, () => 10),
    );
  },

  async 'refuses a send that it cannot execute, permanently and without moving tokens'(trial) {
    for (const wrong of [{ asset: 'NOPE' }, { amount: '1.0000000000000000001' }, { amount: '0' }, { to: '0x12' }]) {
      const order = orderOf(trial, { ...wrong, callId: `${trial.id}-wrong_${JSON.stringify(wrong).length}` });
      assert.equal((await trial.leg.send(order)).kind, 'refused', JSON.stringify(wrong));
      await trial.pass(2);
      assert.equal((await trial.leg.send(renewed(trial, order))).kind, 'refused', JSON.stringify(wrong));
      if (wrong.to === undefined) assert.deepEqual(await trial.received(order.to), []);
    }
  },

  async 'closes an unknown send, so that a later call with its id sends nothing'(trial) {
    const order = orderOf(trial);
    assert.equal((await trial.leg.cancelSend(order)).kind, 'refused');
    assert.equal((await trial.other.send(order)).kind, 'refused');
    await trial.pass(3);
    assert.deepEqual(await trial.received(order.to), []);
  },

  async 'cancels a send that is not yet in a block, so that nothing moves'(trial) {
    const order = orderOf(trial);
    await trial.leg.send(order);
    assert.equal((await cancelled(trial, order)).kind, 'refused');
    assert.equal((await trial.leg.send(renewed(trial, order))).kind, 'refused');
    assert.deepEqual(await trial.received(order.to), []);
  },

  async 'reports that a send in a block can no longer be cancelled'(trial) {
    const order = orderOf(trial);
    await trial.leg.send(order);
    await trial.pass(1);
    assert.equal((await cancelled(trial, order)).kind, 'confirmed');
    assert.deepEqual(amounts(await trial.received(order.to)), [10]);
  },

  async 'sends again after a reorganization dropped the transaction, exactly once'(trial) {
    const order = orderOf(trial);
    await trial.leg.send(order);
    await trial.pass(1);
    await trial.reorganize(1);
    assert.deepEqual(progressOf(await trial.leg.send(renewed(trial, order))), ['sending', 0]);
    assert.equal((await settled(trial, order)).kind, 'confirmed');
    assert.deepEqual(amounts(await trial.received(order.to)), [10]);
  },

  async 'reserves once per id, and a reservation lowers what can be delivered by its amount'(trial) {
    const { leg, other } = trial;
    const order = orderOf(trial);
    const before = await deliverableNow(trial);
    assert.ok(before >= 100);
    for (const one of [leg, other, leg]) assert.deepEqual(await one.reserve(order), { kind: 'reserved' });
    assert.equal(await deliverableNow(trial), before - 10);
    assert.deepEqual(await trial.received(order.to), []);
  },

  async 'reserves no more than can be delivered, however many processes reserve at once'(trial) {
    const whole = await deliverableNow(trial);
    const amount = String(Math.floor(whole / 3));
    const orders = Array.from({ length: 8 }, (_, at) => orderOf(trial, { callId: `${trial.id}-race_${at}`, amount }));
    const results = await Promise.all(
      orders.map((order, at) => (at % 2 === 0 ? trial.leg : trial.other).reserve(order)),
    );
    assert.equal(results.filter(({ kind }) => kind === 'reserved').length, 3);
    assert.ok((await deliverableNow(trial)) < whole / 3);
    for (const [at, order] of orders.entries())
      assert.equal((await trial.other.reserve(renewed(trial, order))).kind, results[at]?.kind, order.callId);
  },

  async 'sends what was reserved, and counts it once'(trial) {
    const whole = await deliverableNow(trial);
    const order = orderOf(trial, { amount: String(Math.floor(whole)) });
    assert.deepEqual(await trial.leg.reserve(order), { kind: 'reserved' });
    assert.equal((await settled(trial, order)).kind, 'confirmed');
    assert.deepEqual(amounts(await trial.received(order.to)), [Math.floor(whole)]);
    assert.ok((await deliverableNow(trial)) < 1);
    await trial.leg.release(callOf(trial, order));
    assert.ok((await deliverableNow(trial)) < 1);
  },

  async 'releases a reservation once, and closes its id for reservations'(trial) {
    const order = orderOf(trial);
    const before = await deliverableNow(trial);
    await trial.leg.reserve(order);
    for (const one of [trial.leg, trial.other, trial.leg]) await one.release(callOf(trial, order));
    assert.equal(await deliverableNow(trial), before);
    assert.equal((await trial.leg.reserve(renewed(trial, order))).kind, 'refused');
    const unknown = orderOf(trial, { callId: `${trial.id}-unknown` });
    await trial.leg.release(callOf(trial, unknown));
    assert.equal((await trial.other.reserve(unknown)).kind, 'refused');
    assert.equal(await deliverableNow(trial), before);
  },

  async 'changes nothing about a send when its reservation is released'(trial) {
    const order = orderOf(trial);
    await trial.leg.reserve(order);
    await trial.leg.send(order);
    const during = await deliverableNow(trial);
    await trial.other.release(callOf(trial, order));
    assert.equal(await deliverableNow(trial), during);
    assert.equal((await settled(trial, order)).kind, 'confirmed');
    assert.deepEqual(amounts(await trial.received(order.to)), [10]);
  },

  async 'gives back the reservation of a send that was cancelled before it moved'(trial) {
    const order = orderOf(trial);
    const before = await deliverableNow(trial);
    await trial.leg.reserve(order);
    assert.equal((await cancelled(trial, order)).kind, 'refused');
    await trial.leg.release(callOf(trial, order));
    assert.equal(await deliverableNow(trial), before);
    assert.deepEqual(await trial.received(order.to), []);
  },

  async 'refuses to reserve what it could never send'(trial) {
    const before = await deliverableNow(trial);
    for (const wrong of [{ asset: 'NOPE' }, { amount: '1.0000000000000000001' }, { amount: '0' }, { to: '0x12' }]) {
      const order = orderOf(trial, { ...wrong, callId: `${trial.id}-no_${JSON.stringify(wrong).length}` });
      assert.equal((await trial.leg.reserve(order)).kind, 'refused', JSON.stringify(wrong));
    }
    assert.equal(await deliverableNow(trial), before);
  },

  async 'rejects invalid addresses of its network and accepts valid ones'(trial) {
    const { leg, network, asset } = trial;
    for (const bad of ['', '0x', 'buyer', `${trial.freshAddress()}0`])
      assert.notEqual(leg.addressProblem(network, bad), null, bad);
    assert.equal(leg.addressProblem(network, trial.freshAddress()), null);
    for (const as of ['send', 'deposit'] as const) assert.equal(await leg.unavailable(network, { asset, as }), null);
  },

  async 'returns one deposit address per call, the same in every process'(trial) {
    const { leg, other } = trial;
    const [first, again, next] = await Promise.all([
      leg.depositAddress(depositOf(trial)),
      other.depositAddress(depositOf(trial)),
      leg.depositAddress(depositOf(trial, 'next')),
    ]);
    assert.deepEqual(again, first);
    assert.notEqual(next?.address, first?.address);
    assert.deepEqual(await leg.deposits(depositOf(trial)), []);
  },

  async 'lists deposits from their block on, oldest first, and counts confirmations up to finality'(trial) {
    const { leg, asset, network } = trial;
    const { address } = await leg.depositAddress(depositOf(trial));
    await trial.pay(address, '5');
    assert.deepEqual(await leg.deposits(depositOf(trial)), []);
    await trial.pass(1);
    await trial.pay(address, '7.25');
    await trial.pass(1);
    const shown = await leg.deposits(depositOf(trial));
    assert.deepEqual(
      shown.map(({ amount, seen }) => [Number(amount), seen]),
      [
        [5, 2],
        [7.25, 1],
      ],
    );
    assert.ok(shown.every((one) => one.asset === asset && one.network === network));
    assert.equal(new Set(shown.map(({ hash, index }) => `${hash}:${index}`)).size, 2);
    await trial.pass(4);
    const final = await leg.deposits(depositOf(trial));
    assert.ok(final.every(({ seen, required }) => seen === required));
    assert.deepEqual(
      final.map(({ hash, at }) => [hash, at]),
      shown.map(({ hash, at }) => [hash, at]),
    );
    assert.deepEqual(await leg.deposits(depositOf(trial, 'next')), []);
  },

  async 'removes a deposit that a reorganization dropped'(trial) {
    const { leg } = trial;
    const { address } = await leg.depositAddress(depositOf(trial));
    await trial.pay(address, '5');
    await trial.pass(1);
    assert.equal((await leg.deposits(depositOf(trial))).length, 1);
    await trial.reorganize(1);
    assert.deepEqual(await leg.deposits(depositOf(trial)), []);
    await trial.pass(3);
    assert.deepEqual(await leg.deposits(depositOf(trial)), []);
  },
});

function orderOf(trial: ChainLegOnTrial, given: Partial<SendOrder> = {}): SendOrder {
  const { mode, now, network, asset, id } = trial;
  const to = given.to ?? trial.freshAddress();
  return { callId: `${id}-send`, mode, now: now(), network, asset, amount: '10.00', to, ...given };
}

const renewed = ({ now }: ChainLegOnTrial, order: SendOrder): SendOrder => ({ ...order, now: now() });

/** What can be delivered of the asset; a wallet on trial has a bound. */
async function deliverableNow({ leg, network, asset }: ChainLegOnTrial): Promise<number> {
  const amount = await leg.deliverable(network, asset);
  assert.notEqual(amount, null, 'The wallet on trial must hold a known amount.');
  return Number(amount);
}

const callOf = ({ mode, now, network }: ChainLegOnTrial, { callId }: SendOrder) => ({
  callId,
  mode,
  now: now(),
  network,
});

function depositOf({ id, mode, now, network }: ChainLegOnTrial, which = 'first'): LegCall & { network: string } {
  return { callId: `${id}-${which}`, mode, now: now(), network };
}

const progressOf = (result: SendResult) =>
  result.kind === 'refused' ? [result.kind, result.failure.code] : [result.kind, result.seen];

const amounts = (received: readonly string[]) => received.map(Number);

const ROUNDS = 20;

const settled = (trial: ChainLegOnTrial, order: SendOrder) =>
  repeated(trial, () => trial.leg.send(renewed(trial, order)));
const cancelled = (trial: ChainLegOnTrial, order: SendOrder) =>
  repeated(trial, () => trial.leg.cancelSend(renewed(trial, order)));

/** Repeats the call after each block until the result is final. */
async function repeated(trial: ChainLegOnTrial, call: () => Promise<SendResult>): Promise<SendResult> {
  for (let left = ROUNDS; left > 0; left -= 1) {
    const result = await call();
    if (result.kind !== 'sending') return result;
    await trial.pass(1);
  }
  throw new Error('The result of a send stayed open.');
}
