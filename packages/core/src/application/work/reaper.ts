import { MODES, type Mode } from '../../domain/mode.js';
import type { Engine } from '../engine.js';
import { ConsumerWatch } from './watches.js';

/**
 * Now and then looks after consumers, and deletes what can no longer be read, in small batches between which
 * others get their turn.
 */
export class Reaper {
  private lastAt: number | null = null;
  private running = false;

  private readonly consumerWatch: ConsumerWatch;

  constructor(private readonly engine: Engine) {
    this.consumerWatch = new ConsumerWatch(engine);
  }

  /** True when it is time again; then `run` is due. */
  isDue(): boolean {
    const now = this.engine.clock.wall();
    // The wall may have been set back as well.
    return !this.running && (this.lastAt === null || Math.abs(now - this.lastAt) >= this.engine.policy.reapEvery);
  }

  async run(): Promise<void> {
    this.running = true;
    this.lastAt = this.engine.clock.wall();
    try {
      await this.consumerWatch.run();
      for (const mode of MODES) while ((await this.reap(mode)) >= this.engine.policy.reapBatch);
      // The vault is the host's and comes last: if it cannot, nothing of the store waits for it.
      for (const mode of MODES) await this.engine.vault.sweep(mode, this.engine.clock.now(mode));
    } finally {
      this.running = false;
    }
  }

  private reap(mode: Mode): Promise<number> {
    const { store, clock, policy } = this.engine;
    return store.reap({ mode, now: clock.now(mode), keepEnded: policy.endedRetention, limit: policy.reapBatch });
  }
}
