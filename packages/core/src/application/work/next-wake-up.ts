import { type Mode, MODES } from '../../domain/mode.js';
import type { DueItem } from '../../ports/store.js';
import type { Engine } from '../engine.js';
import type { SlotMark, Slots } from './slots.js';

/** More under way than this is a stream of work; fewer come one by one, and each of them brings a wake-up. */
export const MANY = 8;

/** While work comes one by one, the next of it mostly comes sooner, and no look is needed. */
const LOOK_AFTER_MS = 10;

/** When to claim again while other processes have all the slots of an endpoint: this one is not told when they free one. */
const OTHERS_SLOTS_MS = 250;

interface NextWakeUpOptions {
  readonly nextDue: (mode: Mode) => Promise<DueItem | null>;
  readonly isPaused: (mode: Mode) => boolean;
  /** Called when something is due that may be taken at once. */
  readonly claimNow: () => void;
}

/**
 * Looks what is due next after a round that left nothing to claim, and sets the scheduler to it. Never two looks at
 * once; a round that begins makes the one under way void.
 */
export class NextWakeUp {
  /** When the last round began; null while another runs. */
  private after: SlotMark | null = null;
  /** Resolves when the look under way has ended. */
  looking: Promise<void> | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly slots: Slots,
    private readonly options: NextWakeUpOptions,
  ) {}

  lookAfter(round: SlotMark): void {
    this.after = round;
    this.looking ??= this.look();
  }

  /** Another round begins, which looks again after it. */
  cancel(): void {
    this.after = null;
  }

  private async look(): Promise<void> {
    for (let round = this.after; round !== null; round = this.after) {
      try {
        // With few under way no endpoint has its share of slots, so what is due comes with a wake-up of its own.
        if (this.slots.underWay < MANY) await this.engine.deadlines.rest(LOOK_AFTER_MS);
        if (this.after !== round) continue;
        const heads = await Promise.all(MODES.map((mode) => this.options.nextDue(mode)));
        if (this.after !== round) continue;
        this.after = null;
        this.prepareFor(heads, round);
      } catch (error) {
        if (this.after === round) this.after = null;
        this.engine.telemetry.failure(error, { place: 'look' });
      }
    }
    this.looking = null;
  }

  private prepareFor(heads: readonly (DueItem | null)[], round: SlotMark): void {
    let isDueNow = false;
    for (const next of heads) {
      if (next === null || this.options.isPaused(next.mode)) continue;
      const delayMs = next.dueAt - this.engine.clock.now(next.mode);
      if (delayMs > 0) this.engine.scheduler.wake([{ delayMs }]);
      // It came while the round found other work. A slot that became free since then was not wanted when the round began.
      else if (this.slots.hasMovedSince(round)) isDueNow = true;
      else this.waitForSlot();
    }
    if (isDueNow) this.options.claimNow();
  }

  /** An endpoint has all the slots it may have, here or in another process. */
  private waitForSlot(): void {
    if (this.slots.isIdle) this.engine.scheduler.wake([{ delayMs: OTHERS_SLOTS_MS }]);
    else this.slots.isWaiting = true;
  }
}
