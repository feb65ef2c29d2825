import { fc, test } from '@fast-check/vitest';
import { createTestGate } from '@gateramp/testing';
import { expect } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { redacted } from '../src/server/exported-history.js';
import { historyOf } from '../src/server/history.js';
import { readHistoryFile } from '../src/web/time/history-file.js';

const ACTS = ['decline', 'succeed', 'charged_back', 'dispute_won', 'refund'] as const;

interface Part {
  readonly id: string;
  readonly created_at: string;
}

test.prop([fc.array(fc.constantFrom(...ACTS), { minLength: 1, maxLength: 6 })], { numRuns: runs(25, 250) })(
  'every transaction, refund and dispute that was created before a step is in it, as it was or as not kept',
  async (acts) => {
    const t = await createTestGate();
    const scope = { partnerId: t.partner.id, mode: 'test' } as const;
    const { id } = await t.createSession();
    for (const [nth, act] of acts.entries()) {
      await t.clock.advance('1m');
      const { txRefid } = (await t.store.find('session', scope, id)) ?? {};
      const key = { idempotencyKey: `refund-${nth}` };
      // What is not possible in this state is refused, and changes nothing.
      if (act === 'refund')
        await t.gate.admin.refundTransaction(scope, txRefid ?? 'none', { amount: '10.00', reason: null }, key);
      else
        await t.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, {
          key: t.keys.secret.test,
          body: { scenario: act },
        });
      await t.gate.runDue();
    }
    const history = (await historyOf(t.gate, scope, id))._unsafeUnwrap();
    const { data } = (await t.gate.transactions.list(scope, { session_id: id, limit: 100 }))._unsafeUnwrap();
    expect(history.complete).toBe(true);
    for (const step of history.steps) {
      const before = <Row extends { readonly created_at: string }>(rows: readonly Row[]): readonly Row[] =>
        rows.filter(({ created_at: at }) => at < step.at);
      const shown = new Map(step.transactions.map(({ refid, object }) => [refid, object]));
      const missing = step.not_kept.map((one) => one.id);
      for (const transaction of before(data)) {
        const kept = shown.get(transaction.refid);
        expect(kept).not.toBe(undefined);
        for (const name of ['refunds', 'disputes'] as const) {
          // The cast holds: events freeze transactions as the API has them.
          const known = ((kept?.[name] ?? []) as readonly Part[]).map((one) => one.id);
          for (const part of before<Part>(transaction[name])) expect([...known, ...missing]).toContain(part.id);
        }
      }
    }
    const { session_id, complete, steps } = history;
    const text = JSON.stringify({
      ...{ object: 'session_history', version: 1, session_id, complete, requests: [] },
      steps: steps.map((step) => redacted(step)),
    });
    const file = readHistoryFile(text);
    expect(file?.history.steps.map((one) => (one.transactions ?? []).map(({ refid }) => refid))).toEqual(
      steps.map((one) => one.transactions.map(({ refid }) => refid)),
    );
    expect(file?.history.steps.map((one) => one.not_kept ?? [])).toEqual(steps.map((one) => one.not_kept));
  },
);
