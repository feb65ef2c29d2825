import { MODES } from '../../domain/mode.js';
import { LANES } from '../../domain/webhook/delivery.js';
import type { Engine } from '../engine.js';

/** Runs something after so many milliseconds, if the process still lives then; it does not keep it alive. */
export type Later = (run: () => void, delayMs: number) => void;

/**
 * For a process that was never started to work. That is right where others do, and a mistake where none does; only the
 * store knows which. So while it commits and serves, and after that until nothing is due, it looks now and then whether
 * work is overdue, and says so once.
 */
export class OverdueWatch {
  private nextLookAt: number | null = null;
  private isLookingLater = false;
  private isOver = false;

  constructor(
    private readonly engine: Pick<Engine, 'store' | 'clock' | 'policy' | 'telemetry' | 'consumers'>,
    private readonly later: Later,
  ) {}

  /** This process works, by itself or when it is asked to: whatever is overdue is not for want of a start. */
  end(): void {
    this.isOver = true;
  }

  /** At every request and commit; nearly always it does nothing. */
  look(): void {
    if (this.isOver) return;
    const now = this.engine.clock.wall();
    const isDue = this.nextLookAt !== null && now >= this.nextLookAt;
    if (isDue || this.nextLookAt === null) this.nextLookAt = now + this.engine.policy.overdueLookEvery;
    if (isDue) void this.raise();
    this.lookLater();
  }

  /** This may have been the last request for a long while: who waits for its webhook sends no other. */
  private lookLater(): void {
    if (this.isLookingLater || this.isOver) return;
    this.isLookingLater = true;
    this.later(() => {
      this.isLookingLater = false;
      void this.raise().then((isAnythingDue) => {
        if (isAnythingDue) this.lookLater();
      });
    }, this.engine.policy.overdueLookEvery);
  }

  /** Answers whether anything is due, late or not yet. A store that cannot be asked now is reported by those who need its answer. */
  private raise(): Promise<boolean> {
    return this.isOver ? Promise.resolve(false) : this.askStore().catch(() => false);
  }

  private async askStore(): Promise<boolean> {
    const { store, clock, policy, telemetry, consumers } = this.engine;
    // What is for consumers that this process has not waits for their functions, which a start here would not bring.
    const kinds = [...LANES, ...consumers.lanes(), 'tasks'] as const;
    const heads = await Promise.all(MODES.map((mode) => store.nextDue(mode, kinds)));
    const late = Math.max(...heads.map((next) => (next === null ? 0 : clock.now(next.mode) - next.dueAt)));
    if (this.isOver || late < policy.overdueAlarmAfter) return late > 0;
    this.isOver = true;
    telemetry.alarm('work_overdue', { overdue_ms: Math.round(late) });
    return false;
  }
}
