import { SWEEP_MS } from '@gateramp/core/ports';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { localScheduler } from '@gateramp/core/runtime';
import { virtualTimers } from '@gateramp/testing';

let timers = virtualTimers();
let calls: number[] = [];
let errors: unknown[] = [];
let scheduler = localScheduler();

beforeEach(() => {
  timers = virtualTimers();
  calls = [];
  errors = [];
  scheduler = localScheduler({ timers, onError: (error) => errors.push(error) });
});
afterEach(() => scheduler.close(0));

const note = async () => void calls.push(timers.now());

it('needs one timer for any number of hints', async () => {
  await scheduler.start(note);
  scheduler.wake([{ delayMs: 300 }, { delayMs: 100 }, { delayMs: 200 }, { delayMs: 100 }, { delayMs: 100_000 }]);
  expect(timers.count()).toBe(1);
  await timers.elapse(1_000);
  expect(calls).toEqual([100, 200, 300]);
  expect(timers.count()).toBe(1);
});

it('rings for short delays with millisecond precision', async () => {
  await timers.elapse(3);
  await scheduler.start(note);
  scheduler.wake([{ delayMs: 5 }]);
  await timers.elapse(20);
  expect(calls).toEqual([8]);
});

it('rings in the next turn for immediate hints if the timers support it; not once it is closed', async () => {
  const next: (() => void)[] = [];
  const quick = localScheduler({ timers: { ...timers, soon: (run) => void next.push(run) } });
  await quick.start(note);
  quick.wake([{ delayMs: 0 }, { delayMs: 0 }, { delayMs: 300 }]);
  expect(next).toHaveLength(1);
  next.shift()?.();
  expect(calls).toEqual([0]);
  await timers.elapse(300);
  expect(calls).toEqual([0, 300]);
  quick.wake([{ delayMs: 0 }]);
  await quick.close(0);
  next.shift()?.();
  expect(calls).toEqual([0, 300]);
});

it('keeps a hint that lies beyond the next sweep', async () => {
  await scheduler.start(note);
  scheduler.wake([{ delayMs: SWEEP_MS + 700 }]);
  await timers.elapse(SWEEP_MS + 700);
  expect(calls).toEqual([SWEEP_MS, SWEEP_MS + 700]);
});

it('keeps hints from before it is started', async () => {
  scheduler.wake([{ delayMs: 10 }]);
  expect(timers.count()).toBe(0);
  await timers.elapse(50);
  await scheduler.start(note);
  await timers.elapse(0);
  expect(calls).toEqual([50]);
});

it('sweeps without any hints', async () => {
  await scheduler.start(note);
  await timers.elapse(3 * SWEEP_MS);
  expect(calls).toEqual([SWEEP_MS, 2 * SWEEP_MS, 3 * SWEEP_MS]);
});

it('combines everything due during a call into one call afterwards', async () => {
  const running: (() => void)[] = [];
  await scheduler.start(() => new Promise<void>((resolve) => running.push(resolve)));
  scheduler.wake([{ delayMs: 10 }, { delayMs: 20 }, { delayMs: 30 }]);
  await timers.elapse(30);
  expect(running).toHaveLength(1);
  running[0]?.();
  await timers.elapse(0);
  expect(running).toHaveLength(2);
  running[1]?.();
  await timers.elapse(0);
  expect(running).toHaveLength(2);
});

it('reports errors of a call and continues, even if reporting throws', async () => {
  const broken = localScheduler({
    timers,
    onError: () => {
      throw new Error('no ears');
    },
  });
  await broken.start(async () => {
    throw new Error('unheard');
  });
  await scheduler.start(() => {
    throw new Error('bang');
  });
  await timers.elapse(2 * SWEEP_MS);
  expect(errors).toEqual([new Error('bang'), new Error('bang')]);
  await broken.close(0);
});

it('ignores a delay that is not a number', async () => {
  await scheduler.start(note);
  scheduler.wake([{ delayMs: Number.NaN }, { delayMs: Infinity }, { delayMs: -5 }]);
  await timers.elapse(100);
  expect(calls).toEqual([0]);
});

it('waits for the running call when it is closed, but no longer than the grace time', async () => {
  let finish = () => undefined as void;
  let closed = false;
  await scheduler.start(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  await timers.elapse(SWEEP_MS);
  void scheduler.close(500).then(() => {
    closed = true;
  });
  await timers.elapse(499);
  expect(closed).toBe(false);
  await timers.elapse(1);
  expect(closed).toBe(true);
  finish();
});

it('makes no calls and leaves no timer once it is closed', async () => {
  await scheduler.start(note);
  await scheduler.close(1_000);
  scheduler.wake([{ delayMs: 0 }]);
  expect(timers.count()).toBe(0);
  await timers.elapse(2 * SWEEP_MS);
  expect(calls).toEqual([]);
});

it('never keeps the process alive with its alarm', async () => {
  const timer = setTimeout(() => undefined, 0);
  clearTimeout(timer);
  const unref = vi.spyOn(timer, 'unref');
  const alarm = localScheduler({ timers: { now: () => 0, setTimeout: () => timer, clearTimeout: () => undefined } });
  await alarm.start(note);
  expect(unref).toHaveBeenCalledOnce();
});
