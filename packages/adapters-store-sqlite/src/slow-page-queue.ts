import { Outage } from '@gateramp/core/ports';

/** The limits of a page that has to scan many rows. */
export interface SlowPageLimits {
  /** Rows scanned per turn: some milliseconds. */
  readonly rowsPerTurn: number;
  readonly waitMaxMs: number;
  readonly timeMaxMs: number;
}

export const SLOW_PAGE_LIMITS: SlowPageLimits = { rowsPerTurn: 20_000, waitMaxMs: 2_000, timeMaxMs: 2_000 };

/**
 * Pages whose filter matches few of many rows. Statements run in the thread that serves requests, so such a page scans one slice of rows at
 * a time, and other requests get a turn between two slices. One page is scanned at a time, so that forty of them delay other requests no
 * more than one does. Waiting or scanning too long is an outage.
 */
export class SlowPageQueue {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly limits: SlowPageLimits = SLOW_PAGE_LIMITS) {}

  /** `scan` scans that many more rows and returns whether it is done. Nearly all pages finish with the first call, without waiting. */
  async take(scan: (rows: number) => boolean): Promise<void> {
    if (scan(this.limits.rowsPerTurn)) return;
    const requestedAt = performance.now();
    const turn = this.last.then(() => this.scanInTurn(scan, requestedAt));
    this.last = turn.catch(() => undefined);
    await turn;
  }

  private async scanInTurn(scan: (rows: number) => boolean, requestedAt: number): Promise<void> {
    const { rowsPerTurn, waitMaxMs, timeMaxMs } = this.limits;
    const startedAt = performance.now();
    if (startedAt - requestedAt > waitMaxMs)
      throw new Outage('The time for slow list queries is used up by others; try again.');
    do {
      await othersTurn();
      if (performance.now() - startedAt > timeMaxMs)
        throw new Outage('This list query took too long; use a filter that matches more of the rows.');
    } while (!scan(rowsPerTurn));
  }
}

/** Yields to other work of the process. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
