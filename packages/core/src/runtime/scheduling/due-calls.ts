/** Calls of `onDue`, never two at once; all that came due during one, or before a callback was set, are one call afterwards. */
export class DueCalls {
  private onDue: (() => Promise<void>) | null = null;
  private run: Promise<void> = Promise.resolve();
  private isRunning = false;
  private isDue = false;
  private isStopped = false;

  /** `report` hears what a call threw; the next comes all the same. */
  constructor(private readonly report: (error: unknown) => void) {}

  start(onDue: () => Promise<void>): void {
    this.onDue = onDue;
    this.continue();
  }

  ring(): void {
    this.isDue = true;
    this.continue();
  }

  /** Begins no more calls, and resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.run;
  }

  private continue(): void {
    if (this.onDue !== null && this.mayCall() && !this.isRunning) this.run = this.callWhileDue(this.onDue);
  }

  private async callWhileDue(onDue: () => Promise<void>): Promise<void> {
    this.isRunning = true;
    while (this.mayCall()) {
      this.isDue = false;
      try {
        await onDue();
      } catch (error) {
        this.reportSafely(error);
      }
    }
    this.isRunning = false;
  }

  private mayCall(): boolean {
    return this.isDue && !this.isStopped;
  }

  private reportSafely(error: unknown): void {
    try {
      this.report(error);
    } catch {
      // An error of the reporter cannot be reported, and the calls must continue.
    }
  }
}
