import type { Report } from './quietly.js';

/** Calls of `onDue`, never two at once; all that came due during one are one call afterwards. */
export class DueCalls {
  private running: Promise<void> | null = null;
  private isDueAgain = false;
  private isStopped = false;

  constructor(
    private readonly onDue: () => Promise<void>,
    private readonly report: Report,
  ) {}

  ring(): void {
    if (this.isStopped) return;
    if (this.running === null) this.running = this.run();
    else this.isDueAgain = true;
  }

  /** Begins no more calls, and resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.isDueAgain = false;
    await this.running;
  }

  private async run(): Promise<void> {
    do {
      this.isDueAgain = false;
      try {
        await this.onDue();
      } catch (error) {
        this.report(error);
      }
    } while (this.isDueAgain);
    this.running = null;
  }
}
