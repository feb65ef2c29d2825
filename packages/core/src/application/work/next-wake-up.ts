import { type Mode, MODES } from '../../domain/mode.js';
import type { DueItem } from '../../ports/store.js';
import type { Engine } from '../engine.js';
import type { SlotMark, Slots } from './slots.js';

/** Above this number, running items count as a stream of work; below it they arrive one by one, each with its own wake-up. */
export const MANY = 8;

/** When work arrives one by one, the next item usually comes sooner than this, which makes a look-up unnecessary. */
const LOOK_AFTER_MS = 10;

/** When to claim again while other processes use all slots of an endpoint; this process gets no signal when one is freed. */
const OTHERS_SLOTS_MS = 250;

interface NextWakeUpOptions {
  readonly nextDue: (mode: Mode) => Promise<DueItem | null>;
  readonly isPaused: (mode: Mode) => boolean;
  /** Called when something is due that may be claimed immediately. */
  readonly claimNow: () => void;
}

/**
 * Looks up what is due next after a round that left nothing to claim, and sets the scheduler accordingly. Look-ups never overlap; a new
 * round cancels the current one.
 */
export class NextWakeUp {
  /** When the last round began; null while another runs. */
  private after: SlotMark | null = null;
  /** Resolves when the current look-up has ended. */
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

  /** Called when another round begins, which looks up again afterwards. */
  cancel(): void {
    this.after = null;
  }

  private async look(): Promise<void> {
    for (let round = this.after; round !== null; round = this.after) {
      try {
        // With few items running no endpoint uses up its share of slots, so due work comes with its own wake-up.
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
      // It arrived while the round found other work. A slot freed since then was not needed when the round began.
      else if (this.slots.hasMovedSince(round)) isDueNow = true;
      else this.waitForSlot();
    }
    if (isDueNow) this.options.claimNow();
  }

  /** An endpoint uses all its slots, here or in another process. */
  private waitForSlot(): void {
    if (this.slots.isIdle) this.engine.scheduler.wake([{ delayMs: OTHERS_SLOTS_MS }]);
    else this.slots.isWaiting = true;
  }
}
