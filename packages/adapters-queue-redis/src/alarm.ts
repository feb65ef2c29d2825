/** Instants closer together than this are one, so that a storm of hints costs little. */
const GRAIN_MS = 10;

/** Beyond this the farthest hint gives way: the sweep comes before it. */
const HINTS_MAX = 1_000;

/** What timers can wait for; nobody is woken at the end of a stretch. */
const STRETCH_MS = 24 * 3_600_000;

/** Rings at the instants it was set for. One timer, however many there are. */
export class Alarm {
  private readonly instants = new Set<number>();
  private timer: { readonly handle: NodeJS.Timeout; readonly at: number } | null = null;

  constructor(private readonly ring: () => void) {}

  /** Rounded up, as an alarm that is early finds nothing due. */
  set(delayMs: number): void {
    const at = Math.ceil((performance.now() + delayMs) / GRAIN_MS) * GRAIN_MS;
    if (!Number.isFinite(at) || this.instants.has(at)) return;
    this.instants.add(at);
    if (this.instants.size > HINTS_MAX) this.instants.delete(Math.max(...this.instants));
    this.wait();
  }

  clear(): void {
    this.instants.clear();
    clearTimeout(this.timer?.handle);
    this.timer = null;
  }

  private wait(): void {
    const at = Math.min(...this.instants);
    if (at === Infinity || (this.timer !== null && this.timer.at <= at)) return;
    clearTimeout(this.timer?.handle);
    const delayMs = Math.min(STRETCH_MS, Math.max(0, at - performance.now()));
    this.timer = { handle: setTimeout(() => this.wakeUp(at), delayMs).unref(), at };
  }

  /** Timers may fire a little early: the instant one was set for counts as reached. */
  private wakeUp(setFor: number): void {
    this.timer = null;
    const now = performance.now();
    const reached = setFor - now <= 1 ? Math.max(setFor, now) : now;
    const due = [...this.instants].filter((at) => at <= reached);
    for (const at of due) this.instants.delete(at);
    this.wait();
    if (due.length > 0) this.ring();
  }
}
