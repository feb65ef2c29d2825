import { StoreOutage } from './outage.js';

export interface ConnectionSemaphoreOptions {
  /** How many may be under way at once. */
  readonly places: number;
  /** How long the others wait for a place; then it is an outage. */
  readonly waitMs: number;
}

/** A part of the connections, for work of one kind. Without a free place, callers wait in line. */
export class ConnectionSemaphore {
  private readonly options: ConnectionSemaphoreOptions;
  private readonly line = new Set<() => void>();
  private taken = 0;

  constructor(options: ConnectionSemaphoreOptions) {
    this.options = options;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.taken < this.options.places) this.taken += 1;
    else await this.aPlace();
    try {
      return await work();
    } finally {
      this.passOn();
    }
  }

  private aPlace(): Promise<void> {
    return new Promise((resolve, reject) => {
      const given = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.line.delete(given);
        reject(
          new StoreOutage(
            new Error(`all ${this.options.places} places for reads were taken for ${this.options.waitMs} ms`),
          ),
        );
      }, this.options.waitMs);
      this.line.add(given);
    });
  }

  /** To the first in line, or back. */
  private passOn(): void {
    const [next] = this.line;
    if (next === undefined) this.taken -= 1;
    else {
      this.line.delete(next);
      next();
    }
  }
}
