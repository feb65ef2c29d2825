/** Hints closer together than this are one. */
const GRAIN_MS = 10;

/** What does not fit is left to the sweep. */
const HINTS_MAX = 10_000;

/** The moments at which somebody asked to be woken. A storm of hints is a handful of moments. */
export class Hints {
  private readonly moments = new Set<number>();
  private earliest = Infinity;

  /** Rounded up, as an alarm that is early finds nothing due; "at once" has no fraction to wait for. */
  add(now: number, delayMs: number): void {
    const at = delayMs <= 0 ? Math.floor(now) : Math.ceil((now + delayMs) / GRAIN_MS) * GRAIN_MS;
    if (!Number.isFinite(at) || this.moments.size >= HINTS_MAX) return;
    this.moments.add(at);
    this.earliest = Math.min(this.earliest, at);
  }

  /** The earliest; infinity when there is none. */
  next(): number {
    return this.earliest;
  }

  /** Forgets everything up to and including `moment`. Returns whether there was anything. */
  drop(moment: number): boolean {
    if (this.earliest > moment) return false;
    let earliest = Infinity;
    for (const at of this.moments) {
      if (at <= moment) this.moments.delete(at);
      else earliest = Math.min(earliest, at);
    }
    this.earliest = earliest;
    return true;
  }
}
