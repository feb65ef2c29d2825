import { MODES } from '../../domain/mode.js';
import { LANES } from '../../domain/webhook/delivery.js';
import type { Engine } from '../engine.js';

/**
 * For a process that was never told to work. That is right where others do, and a mistake where nobody does; only the store knows which. So
 * while it commits and serves, it looks now and then whether work is overdue, and says so once.
 */
export class OverdueWatch {
  private nextLookAt: number | null = null;
  private isOver = false;

  constructor(private readonly engine: Pick<Engine, 'store' | 'clock' | 'policy' | 'telemetry' | 'consumers'>) {}

  /** This process works, by itself or when it is told to: whatever is overdue is not for want of a start. */
  end(): void {
    this.isOver = true;
  }

  /** At every request and commit; nearly always it does nothing. */
  look(): void {
    if (this.isOver) return;
    const now = this.engine.clock.wall();
    const isDue = this.nextLookAt !== null && now >= this.nextLookAt;
    if (isDue || this.nextLookAt === null) this.nextLookAt = now + this.engine.policy.overdueLookEvery;
    // A store that cannot be asked now is told of by those who need its answer.
    if (isDue) this.raise().catch(() => undefined);
  }

  private async raise(): Promise<void> {
    const { store, clock, policy, telemetry, consumers } = this.engine;
    // What is for consumers that this process has not waits for their functions, which a start here would not bring.
    const kinds = [...LANES, ...consumers.lanes(), 'tasks'] as const;
    const heads = await Promise.all(MODES.map((mode) => store.nextDue(mode, kinds)));
    const late = Math.max(...heads.map((next) => (next === null ? 0 : clock.now(next.mode) - next.dueAt)));
    if (this.isOver || late < policy.overdueAlarmAfter) return;
    this.isOver = true;
    telemetry.alarm('work_overdue', { overdue_ms: Math.round(late) });
  }
}
