import { memoryStore } from '@gateramp/adapters-store-memory';
import { isOutage } from '@gateramp/core/ports';
import { memoryLegsStore } from '@gateramp/provider-legs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { heldLegsStore, unlessHeld } from '../src/history/held-legs.js';

describe('provider legs of a held installation', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('do no background work until the restore is accepted, and stop when a history changes while they run', async () => {
    let [isHeld, isRunning] = [true, false];
    const work = unlessHeld(
      { start: () => void (isRunning = true), stop: () => Promise.resolve().then(() => void (isRunning = false)) },
      () => isHeld,
    );
    const seen: boolean[] = [];
    work.start();
    for (const held of [true, false, true, false]) {
      isHeld = held;
      await vi.advanceTimersByTimeAsync(2_000);
      seen.push(isRunning);
    }
    expect(seen).toEqual([false, true, false, true]);
    await work.stop();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(isRunning).toBe(false);
  });

  it('claim no operation and write nothing', async () => {
    let isHeld = false;
    const store = heldLegsStore(memoryLegsStore(memoryStore()), () => isHeld);
    const document = { kind: 'operation_test', id: 'op1', version: 1, status: 'running', dueAt: 1, body: {} };
    await store.commit({ documents: [document], entries: [] });
    const claim = { kind: 'operation_test', now: 2, leaseMs: 1_000, limit: 1 };
    isHeld = true;
    expect(await store.claimDue(claim)).toEqual([]);
    const refused = await store
      .commit({ documents: [{ ...document, version: 2 }], entries: [] })
      .catch((error: unknown) => error);
    expect(isOutage(refused)).toBe(true);
    isHeld = false;
    expect(await store.claimDue(claim)).toMatchObject([{ id: 'op1', version: 2 }]);
  });
});
