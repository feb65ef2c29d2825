/** Open streams of one session, and of all sessions of a process. */
export const PER_SESSION_MAX = 8;
export const PER_PROCESS_MAX = 1_000;

/** Counts the streams of one handler. */
export class OpenStreams {
  private readonly counts = new Map<string, number>();
  private all = 0;

  /** Returns false at a limit; otherwise the caller must call `leave` once. */
  enter(session: string): boolean {
    const count = this.counts.get(session) ?? 0;
    if (count >= PER_SESSION_MAX || this.all >= PER_PROCESS_MAX) return false;
    this.counts.set(session, count + 1);
    this.all += 1;
    return true;
  }

  leave(session: string): void {
    const count = (this.counts.get(session) ?? 0) - 1;
    if (count > 0) this.counts.set(session, count);
    else this.counts.delete(session);
    this.all -= 1;
  }
}
