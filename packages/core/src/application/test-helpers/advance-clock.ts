import { type Instant, SECOND } from '../../domain/instant.js';
import type { AdjustableClock } from '../../ports/edge.js';
import type { DueItem } from '../../ports/store.js';
import type { Engine } from '../engine.js';
import type { Worker } from '../work/worker.js';

/** After this time an advance starts nothing new and responds with its progress; always before the request times out. */
const ADVANCE_MAX = 8 * SECOND;

/** A piece of work that ran while the test clock moved. */
export interface Fired {
  readonly type: DueItem['kind'];
  readonly id: string;
}

/** The time that the test clock reached, in epoch milliseconds, and the work that ran, in order. */
export interface Advanced {
  readonly now: Instant;
  readonly fired: readonly Fired[];
}

/** A year before timestamps and the twelve digits of an id overflow, so that later due times still fit. */
const TEST_CLOCK_END = Date.UTC(9999, 0, 1);

/**
 * Moves test-mode time forward and runs all work at the instant it is due, claiming each next item directly. Running test-mode attempts are
 * awaited; live mode is not affected. When its time limit is reached it stops at the instant of the last item; `now` is the time reached,
 * and another call continues from there. Concurrent calls are serialized: otherwise they would step past the leases of each other's
 * attempts and repeat them, and one span would swallow the other.
 */
export async function advanceClock(
  engine: Engine,
  worker: Worker,
  clock: AdjustableClock,
  byMs: number,
): Promise<Advanced> {
  return worker.stepping.take(() => {
    const limit = patience(engine);
    const stepped = worker.whilePaused('test', () => step(engine, worker, clock, { byMs, isLate: limit.isLate }));
    return stepped.finally(limit.end);
  });
}

interface Steps {
  readonly byMs: number;
  readonly isLate: () => boolean;
}

async function step(
  engine: Engine,
  worker: Worker,
  clock: AdjustableClock,
  { byMs, isLate }: Steps,
): Promise<Advanced> {
  const target = Math.min(clock.now('test') + byMs, TEST_CLOCK_END);
  const fired: Fired[] = [];
  while (!isLate()) {
    const next = await worker.nextDue('test');
    if (next === null || next.dueAt > target) {
      await clock.advanceTo(Math.max(target, clock.now('test')));
      break;
    }
    await clock.advanceTo(Math.max(next.dueAt, clock.now('test')));
    if (await worker.runOne(next)) fired.push({ type: next.kind, id: next.id });
    else await clock.advanceTo(clock.now('test') + 1);
  }
  return { now: clock.now('test'), fired };
}

/** Independent of the wall clock, which in tests moves with the clock that is advanced. */
function patience({ deadlines, policy }: Engine): { readonly isLate: () => boolean; readonly end: () => void } {
  let isLate = false;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  void deadlines.within(ended, Math.min(ADVANCE_MAX, 0.8 * policy.requestTimeout)).then((waited) => {
    isLate = waited.kind === 'late';
  });
  return { isLate: () => isLate, end: () => end() };
}
