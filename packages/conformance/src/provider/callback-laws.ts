import assert from 'node:assert/strict';
import type { Mode } from '@gateramp/core/domain';
import type { CallbackReading, ProviderReport, StartOrder } from '@gateramp/core/ports';
import { end, expectTaken, expectTruth, inOtherMode, lookup, pay, reached, start } from './drive-payment.js';
import { providerLawsOf, type FullTrial, type ProviderOnTrial } from './provider-subject.js';

type CallbackTrial = ProviderOnTrial & Pick<FullTrial, 'callbacks'>;

const modeLaws = providerLawsOf('Callbacks of a provider in two modes', ['callbacks', 'modes'], {
  async 'are signed for their mode: the signature of test mode reports nothing in live mode'(trial) {
    for (const order of [trial.order(), inOtherMode(trial.order())]) {
      reached(await start(trial, order));
      await end(trial, order);
      const body = await bodyOf(trial, order);
      assert.equal((await reported(trial, order, body)).outcome.kind, 'succeeded');
      const inTest = await trial.callbacks.sign(body, 'test');
      assert.equal((await parse(trial, body, inTest, 'live')).kind, 'unauthenticated');
    }
  },
});

const oneModeLaws = providerLawsOf('Callbacks of a provider', ['callbacks'], {
  async 'report the operation that they are about, as it stands'(trial) {
    const [order, other] = [trial.order(), trial.order()];
    reached(await start(trial, other));
    await pay(trial, order);
    const report = await reported(trial, order, await bodyOf(trial, order));
    assert.equal(report.operationId, order.operationId);
    assert.equal(report.outcome.kind, 'succeeded');
    assert.notEqual(report.eventId, '');
  },
  async 'are refused without a signature, or with one of other bytes, and then change nothing'(trial) {
    const [order, other] = [trial.order(), trial.order()];
    reached(await start(trial, order));
    reached(await start(trial, other));
    const body = await bodyOf(trial, order);
    const headers = await trial.callbacks.sign(body, order.mode);
    const ofOther = await trial.callbacks.sign(await bodyOf(trial, other), order.mode);
    const before = await lookup(trial, order);
    const forged: readonly (readonly [Uint8Array, Readonly<Record<string, string>>])[] = [
      [body, {}],
      [body, ofOther],
      [body, Object.fromEntries(Object.keys(headers).map((name) => [name, '']))],
      [Buffer.concat([body, Buffer.from(' ')]), headers],
      [changed(body), headers],
      [new Uint8Array(), headers],
    ];
    for (const [rawBody, given] of forged)
      assert.equal((await parse(trial, rawBody, given, order.mode)).kind, 'unauthenticated');
    assert.deepEqual(await lookup(trial, order), before);
  },
  async 'about a payment of another system report no operation of this gate, and are acknowledged'(trial) {
    const order = trial.order();
    reached(await start(trial, order));
    const before = await lookup(trial, order);
    const reading = await read(trial, await trial.callbacks.foreign(), order.mode);
    assert.ok(reading.kind === 'ignored' || reading.kind === 'report', `They are acknowledged, not ${reading.kind}.`);
    if (reading.kind === 'report') assert.notEqual(reading.report.operationId, order.operationId);
    assert.deepEqual(await lookup(trial, order), before);
  },
  async 'have the same event id when they are repeated, and move nothing'(trial) {
    const order = trial.order();
    await pay(trial, order);
    const body = await bodyOf(trial, order);
    const first = await reported(trial, order, body);
    const [again, atOnce] = await Promise.all([reported(trial, order, body), reported(trial, order, body)]);
    assert.deepEqual([again.eventId, atOnce.eventId], [first.eventId, first.eventId]);
    assert.deepEqual(again.outcome, first.outcome);
    await expectTaken(trial, order.intent.amount);
  },
  async 'of different events have different event ids'(trial) {
    const [order, other] = [trial.order(), trial.order()];
    await pay(trial, order);
    reached(await start(trial, other));
    await end(trial, other);
    const ids = new Set<string>();
    for (const one of [order, other, order]) ids.add((await reported(trial, one, await bodyOf(trial, one))).eventId);
    assert.equal(ids.size, 3);
  },
  async 'may come in any order: an earlier one that arrives late changes nothing'(trial) {
    const order = trial.order();
    reached(await start(trial, order));
    const early = await bodyOf(trial, order);
    const ended = await end(trial, order);
    await reported(trial, order, await bodyOf(trial, order));
    const late = await read(trial, early, order.mode);
    if (late.kind === 'report') assert.equal(late.report.operationId, order.operationId);
    assert.deepEqual((await lookup(trial, order))?.outcome, ended.outcome);
    assert.equal(await expectTruth(trial, order), 'succeeded');
  },
  async 'that are signed but have no meaning are malformed or ignored, and never throw'(trial) {
    const { mode } = trial.order();
    for (const text of ['', 'no json', 'null', '[]', '{}', '"text"', '{"id":null,"data":{"object":null}}'])
      assert.match((await read(trial, Buffer.from(text), mode)).kind, /^(malformed|ignored|unauthenticated)$/);
  },
});

/** Laws of `parseCallback`. */
export const callbackLaws = [...oneModeLaws, ...modeLaws];

function bodyOf({ callbacks }: CallbackTrial, { operationId, mode }: StartOrder): Promise<Uint8Array> {
  return callbacks.body(operationId, mode);
}

/** With one character of its operation or outcome changed, so that it is another valid text. */
function changed(body: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(body);
  const at = copy.findLastIndex((byte) => (byte >= 0x61 && byte < 0x7a) || (byte >= 0x30 && byte < 0x39));
  copy[at] = (copy[at] ?? 0) + 1;
  return copy;
}

async function reported(trial: CallbackTrial, { mode }: StartOrder, body: Uint8Array): Promise<ProviderReport> {
  const reading = await read(trial, body, mode);
  assert.ok(reading.kind === 'report', `An authentic callback is a report, not ${reading.kind}.`);
  return reading.report;
}

/** Reads a body that the processor has signed. */
async function read(trial: CallbackTrial, body: Uint8Array, mode: Mode): Promise<CallbackReading> {
  return parse(trial, body, await trial.callbacks.sign(body, mode), mode);
}

function parse(
  { provider, now }: ProviderOnTrial,
  rawBody: Uint8Array,
  headers: Readonly<Record<string, string>>,
  mode: Mode,
): Promise<CallbackReading> {
  return provider.parseCallback({ rawBody, headers, mode, now: now(), modeNow: now() });
}
