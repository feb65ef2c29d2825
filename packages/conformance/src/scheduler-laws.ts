import assert from 'node:assert/strict';
import { SWEEP_MS, type Scheduler } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from './law.js';

/** The scheduler under test, and its clock. */
export interface SchedulerSubject {
  create(): Promise<SchedulerOnTrial>;
}

/** A new scheduler, and a way to let its time pass. */
export interface SchedulerOnTrial {
  readonly scheduler: Scheduler;
  /** Lets the scheduler's time pass, and due calls begin; virtual if possible. */
  readonly elapse: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The maximum delay of a hint or sweep. */
const SOON_MS = 500;

/** Records calls of `onDue`; each ends at once, or when it is released. */
function witness(mode: 'prompt' | 'held' = 'prompt') {
  const releases: (() => void)[] = [];
  const seen = { calls: 0, running: 0, mostAtOnce: 0 };
  return {
    seen,
    onDue: async (): Promise<void> => {
      seen.calls += 1;
      seen.running += 1;
      seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.running);
      if (mode === 'held') await new Promise<void>((resolve) => releases.push(resolve));
      seen.running -= 1;
    },
    release: (): void => {
      for (const resolve of releases.splice(0)) resolve();
    },
  };
}

/** The laws of `Scheduler`. */
export const schedulerLaws: readonly Law<SchedulerSubject>[] = lawsOnTrial<SchedulerOnTrial>('Scheduler', {
  async "calls soon after a hint's delay"({ scheduler, elapse }) {
    const { seen, onDue } = witness();
    await scheduler.start(onDue);
    await elapse(0);
    const before = seen.calls;
    scheduler.wake([{ delayMs: 1_000 }]);
    await elapse(1_000 + SOON_MS);
    assert.ok(seen.calls > before, 'the hint was not heard');
  },

  async 'calls soon when an earlier hint follows a later one'({ scheduler, elapse }) {
    const { seen, onDue } = witness();
    await scheduler.start(onDue);
    await elapse(0);
    const before = seen.calls;
    scheduler.wake([{ delayMs: 3_600_000 }]);
    scheduler.wake([{ delayMs: 4_000 }, { delayMs: 0 }]);
    await elapse(SOON_MS);
    assert.ok(seen.calls > before, 'the nearer hint waited for the farther one');
  },

  async 'calls at least once per sweep interval without any hint'({ scheduler, elapse }) {
    const { seen, onDue } = witness();
    await scheduler.start(onDue);
    for (let sweep = 0; sweep < 3; sweep += 1) {
      const before = seen.calls;
      await elapse(SWEEP_MS + SOON_MS);
      assert.ok(seen.calls > before, `no call in sweep ${sweep + 1}`);
    }
  },

  async 'keeps sweeping while a distant hint is pending'({ scheduler, elapse }) {
    const { seen, onDue } = witness();
    await scheduler.start(onDue);
    scheduler.wake([{ delayMs: 3_600_000 }]);
    const before = seen.calls;
    await elapse(SWEEP_MS + SOON_MS);
    assert.ok(seen.calls > before);
  },

  async 'continues after a failed call'({ scheduler, elapse }) {
    let calls = 0;
    await scheduler.start(async () => {
      calls += 1;
      throw new Error('The store is down.');
    });
    await elapse(SWEEP_MS + SOON_MS);
    const before = calls;
    assert.ok(before > 0);
    await elapse(SWEEP_MS + SOON_MS);
    assert.ok(calls > before, 'one failure stopped the clock');
  },

  async 'never overlaps calls, and makes one more call for work that became due during one'({ scheduler, elapse }) {
    const { seen, onDue, release } = witness('held');
    const began = performance.now();
    await scheduler.start(onDue);
    scheduler.wake([{ delayMs: 0 }]);
    await elapse(SOON_MS);
    assert.equal(seen.calls, 1);
    for (let nth = 0; nth < 5; nth += 1) scheduler.wake([{ delayMs: nth }, { delayMs: 10 * nth }]);
    await elapse(SOON_MS);
    assert.equal(seen.calls, 1, 'a call began while another was running');
    release();
    await elapse(SOON_MS);
    assert.deepEqual([seen.calls, seen.mostAtOnce], [2, 1]);
    release();
    await elapse(SOON_MS);
    // On a machine that stood still, a scheduler in real time has also swept.
    const sweeps = Math.floor((performance.now() - began) / SWEEP_MS);
    assert.ok(seen.calls <= 2 + sweeps, 'what came due once ran twice');
  },

  async 'accepts hints before start and after close without throwing'({ scheduler, elapse }) {
    scheduler.wake([{ delayMs: 0 }]);
    scheduler.wake([]);
    const { onDue } = witness();
    await scheduler.start(onDue);
    await elapse(SOON_MS);
    await scheduler.close(1_000);
    scheduler.wake([{ delayMs: 0 }]);
  },

  async 'stops calling once it is closed'({ scheduler, elapse }) {
    const { seen, onDue } = witness();
    await scheduler.start(onDue);
    scheduler.wake([{ delayMs: 2_000 }]);
    await elapse(0);
    await scheduler.close(1_000);
    const before = seen.calls;
    scheduler.wake([{ delayMs: 0 }]);
    await elapse(SWEEP_MS + SOON_MS);
    assert.equal(seen.calls, before);
  },

  async 'waits for the running call on close, and starts no other'({ scheduler, elapse }) {
    const { seen, onDue, release } = witness('held');
    await scheduler.start(onDue);
    scheduler.wake([{ delayMs: 0 }]);
    await elapse(SOON_MS);
    scheduler.wake([{ delayMs: 0 }]);
    await elapse(SOON_MS);
    let closed = false;
    const closing = scheduler.close(60_000).then(() => (closed = true));
    await elapse(SOON_MS);
    assert.equal(closed, false, 'close did not wait');
    release();
    await closing;
    await elapse(SOON_MS);
    assert.deepEqual([seen.calls, seen.running], [1, 0]);
  },

  async 'waits at most its grace period for a call that never ends'({ scheduler, elapse }) {
    const { seen, onDue, release } = witness('held');
    await scheduler.start(onDue);
    scheduler.wake([{ delayMs: 0 }]);
    await elapse(SOON_MS);
    assert.equal(seen.running, 1);
    let closed = false;
    const closing = scheduler.close(1_000).then(() => (closed = true));
    await elapse(1_000 + SOON_MS);
    assert.equal(closed, true, 'close waited beyond its grace');
    release();
    await closing;
  },

  async 'closes immediately when nothing is running, and can be closed again'({ scheduler }) {
    const { onDue } = witness();
    await scheduler.start(onDue);
    await scheduler.close(60_000);
    await scheduler.close(60_000);
  },
});
