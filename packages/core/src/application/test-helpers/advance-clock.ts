import type { Instant } from '../../domain/instant.js';
import type { AdjustableClock } from '../../ports/edge.js';
import type { DueItem } from '../../ports/store.js';
import type { Engine } from '../engine.js';
import type { Worker } from '../work/worker.js';

export interface Fired {
  readonly type: DueItem['kind'];
  readonly id: string;
}

export interface Advanced {
  readonly now: Instant;
  readonly fired: readonly Fired[];
}

/**
 * Moves test-mode time forward and runs everything that comes due, at the instant it comes due.
 * It asks what is due next and claims that directly; attempts already running are waited for.
 */
export async function advanceClock(
  engine: Engine,
  worker: Worker,
  clock: AdjustableClock,
  byMs: number,
): Promise<Advanced> {
  return worker.whilePaused(async () => {
    const target = clock.now('test') + byMs;
    const fired: Fired[] = [];
    for (;;) {
      const next = await engine.store.nextDue('test');
      if (next === null || next.dueAt > target) break;
      await clock.advanceTo(Math.max(next.dueAt, clock.now('test')));
      if (await worker.runOne(next)) fired.push({ type: next.kind, id: next.id });
      else await clock.advanceTo(clock.now('test') + 1);
    }
    await clock.advanceTo(Math.max(target, clock.now('test')));
    return { now: clock.now('test'), fired };
  });
}
