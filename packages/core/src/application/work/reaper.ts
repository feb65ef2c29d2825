import { MODES } from '../../domain/mode.js';
import type { Engine } from '../engine.js';

/** Now and then deletes what nobody can ask for any more, in small batches between which others get their turn. */
export class Reaper {
  private lastAt: number | null = null;
  private running = false;

  constructor(private readonly engine: Engine) {}

  /** True when it is time again; then `run` is due. */
  isDue(): boolean {
    const now = this.engine.clock.wall();
    return !this.running && (this.lastAt === null || now - this.lastAt >= this.engine.policy.reapEvery);
  }

  async run(): Promise<void> {
    this.running = true;
    this.lastAt = this.engine.clock.wall();
    try {
      for (const mode of MODES) {
        const { reapBatch } = this.engine.policy;
        while ((await this.engine.store.reap(mode, this.engine.clock.now(mode), reapBatch)) >= reapBatch);
      }
    } finally {
      this.running = false;
    }
  }
}
