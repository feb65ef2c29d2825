import assert from 'node:assert/strict';
import { compileFunction } from 'node:vm';
import { createTestGate, type TestGate } from '@gateramp/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { exportedTest, type PastEvent } from '../src/server/exported-test.js';

const scopeOf = (t: TestGate) => ({ partnerId: t.partner.id, mode: 'test' }) as const;

/** Something that happens to a session; a step that is refused in its state changes nothing. */
type Happening = (t: TestGate, id: string) => Promise<unknown>;

const simulate =
  (scenario: string, more: object = {}): Happening =>
  (t, id) =>
    t.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, {
      key: t.keys.secret.test,
      body: { scenario, ...more },
    });

const refund: Happening = async (t, id) => {
  const paid = await t.request('GET', `/v1/transactions?session_id=${id}`, { key: t.keys.secret.test });
  const [payment] = paid.json['data'] as readonly { readonly refid: string }[];
  const key = { idempotencyKey: `refund-${t.gate.clock.now('test')}` };
  await t.gate.admin.refundTransaction(scopeOf(t), payment?.refid ?? 'none', { amount: '7.50' }, key);
};

const HAPPENINGS: Readonly<Record<string, Happening>> = {
  succeed: simulate('succeed'),
  decline: simulate('decline'),
  kycRequired: simulate('kyc_required'),
  kycRejected: simulate('kyc_rejected'),
  processing: simulate('processing'),
  settlementError: simulate('settlement_error'),
  lateSettlement: simulate('late_settlement'),
  chargedBack: simulate('charged_back', { amount: '12.00' }),
  disputeWon: simulate('dispute_won'),
  refundReturned: simulate('refund_returned'),
  refund,
  cancel: (t, id) => t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key: t.keys.secret.test }),
  minutesPass: (t) => t.clock.advance('45m'),
  aDayPasses: (t) => t.clock.advance('25h'),
};

/** The events of a session with these happenings, and its id. */
async function lived(names: readonly string[], terms: object = {}) {
  const t = await createTestGate();
  const { id } = await t.createSession(terms);
  for (const name of names) {
    await t.clock.advance('3s');
    await HAPPENINGS[name]?.(t, id);
  }
  await t.retrieveSession(id);
  const page = (await t.gate.events.list(scopeOf(t), { session_id: id, limit: 100 }))._unsafeUnwrap();
  return { id, events: page.data as readonly PastEvent[] };
}

/** Runs an exported test with its imports passed in. Rejects if it fails. */
async function run(text: string): Promise<void> {
  const tests: (() => Promise<void>)[] = [];
  const code = text.replaceAll(/^import .*$/gm, '');
  // The text is a test file, which is evaluated here as any test runner would.
  const load = compileFunction(code, ['assert', 'test', 'createTestGate']) as (...given: readonly unknown[]) => void;
  load(assert, (_: string, test: () => Promise<void>) => tests.push(test), createTestGate);
  expect(tests).toHaveLength(1);
  await tests[0]?.();
}

it('repeats the history of a session and passes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(HAPPENINGS)), { maxLength: 6 }), async (names) => {
      const { id, events } = await lived(names);
      const text = exportedTest(id, events);
      expect(text).not.toContain('Not repeated');
      await run(text);
    }),
    { numRuns: runs(40, 150) },
  );
});

it('fails when the engine does something else', async () => {
  const { id, events } = await lived(['decline', 'succeed']);
  const text = exportedTest(id, events);
  await run(text);
  await expect(run(text.replace(`scenario: 'succeed'`, `scenario: 'decline'`))).rejects.toThrow(/strictly/);
});

it('contains nothing of the buyer, and quotes what it contains', async () => {
  const { id, events } = await lived(['succeed'], {
    user_reference: 'ada-1815',
    metadata: { note: 'kept out' },
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
    flow: 'on_ramp',
    target_token: 'ETH',
    target_network: 'ethereum',
  });
  const exported = exportedTest(id, events);
  for (const personal of ['ada-1815', 'kept out', '0x5290']) expect(exported).not.toContain(personal);
  await run(exported);
  const [created, ...others] = events.toReversed();
  if (created === undefined) throw new Error('A session has an event of its creation.');
  const data = { ...created.data, currency: `EUR', process.exit(1), '\n\\` };
  const text = exportedTest(id, [{ ...created, data }, ...others]);
  expect(() => compileFunction(text.replaceAll(/^import .*$/gm, ''))).not.toThrow();
});
