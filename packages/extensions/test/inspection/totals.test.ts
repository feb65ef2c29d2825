import { memoryStore } from '@gateramp/adapters-store-memory';
import type { StoreCounts } from '@gateramp/core/ports';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { expect, it } from 'vitest';

const SCOPE = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;

/** A gate whose store adds up the payments of each day to these totals. */
async function gateWith(totals: StoreCounts['totals']) {
  const { counts, ...store } = memoryStore();
  if (counts === undefined || totals === undefined) throw new Error('Nothing is counted.');
  const ports = { store: { ...store, counts: { ...counts, totals } }, operator: store };
  return (await createTestGate({ ports })).gate;
}

const EUROS = { sourceCurrency: 'eur', destinationCurrency: 'USDC', paid: '1.10', delivered: '1' } as const;

it('says that there are more payments than it counts, and stops reading', async () => {
  let days = 0;
  const gate = await gateWith(async (_, __, limit) => {
    days += 1;
    return [{ ...EUROS, status: 'failed', count: Math.min(limit, 600_000) }];
  });
  const { payments } = await gate.admin.totals(SCOPE, 'month');
  expect(payments).toMatchObject({ failed: { count: 1_000_000, more: true }, completed: { count: 0, more: true } });
  expect(days).toBe(2);
});

it('refuses a period that it does not know', async () => {
  const { gate } = await createTestGate();
  // @ts-expect-error A year is not a period.
  await expect(gate.admin.totals(SCOPE, 'year')).rejects.toThrow("period must be 'day' or 'month'");
});
