import { type Instant, SECOND } from '../../domain/instant.js';
import type { AdjustableClock } from '../../ports/edge.js';
import type { DueItem } from '../../ports/store.js';
import type { Engine } from '../engine.js';
import type { Worker } from '../work/worker.js';

/** One advance begins nothing more after so long, and answers how far it came; always before its request times out. */
const ADVANCE_MAX = 8 * SECOND;

/** One item of work that came due while the test clock moved. */
export interface Fired {
  readonly type: DueItem['kind'];
  readonly id: string;
}

/** How far the test clock came, in epoch milliseconds, and what ran on the way, in order. */
export interface Advanced {
  readonly now: Instant;
  readonly fired: readonly Fired[];
}

/** A year before texts of instants and the twelve digits of an id would need more room: what is due later than now still fits. */
const TEST_CLOCK_END = Date.UTC(9999, 0, 1);

/**
 * Moves test-mode time forward and runs everything that comes due, at the instant it comes due. It asks what is due
 * next and claims that directly; attempts already running in test mode are waited for, and live mode is left alone.
 * When it has taken its time it stops where it is, at an instant that something was due; `now` says how far it came,
 * and another call goes on from there. Calls that come meanwhile take their turn: two at once would step past the
 * leases of each other's attempts and make them twice, and one span would swallow the other.
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

/** Not on the wall: in tests that moves with the clock being stepped. */
function patience({ deadlines, policy }: Engine): { readonly isLate: () => boolean; readonly end: () => void } {
  let isLate = false;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  void deadlines.within(ended, Math.min(ADVANCE_MAX, 0.8 * policy.requestTimeout)).then((waited) => {
    isLate = waited.kind === 'late';
  });
  return { isLate: () => isLate, end: () => end() };
}
