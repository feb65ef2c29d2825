import { SECOND } from '../../domain/instant.js';
import { releasePaused } from '../deliveries/release-paused.js';
import type { Engine } from '../engine.js';

/** Shorter than the sweep of the schedulers, so every process looks at least at each sweep. */
const LOOK_EVERY_MS = 2 * SECOND;

/** Notices endpoints that were resumed by another process, such as `gate endpoints resume`. */
export class PausedWatch {
  private lastAt: number | null = null;
  private running = false;

  constructor(private readonly engine: Engine) {}

  isDue(): boolean {
    const now = this.engine.clock.wall();
    // The wall clock may have been set back.
    return !this.running && (this.lastAt === null || Math.abs(now - this.lastAt) >= LOOK_EVERY_MS);
  }

  async run(): Promise<void> {
    this.running = true;
    this.lastAt = this.engine.clock.wall();
    try {
      await releasePaused(this.engine);
    } finally {
      this.running = false;
    }
  }
}
