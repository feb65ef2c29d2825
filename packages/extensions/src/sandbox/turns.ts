import type { SteppedWork } from '@gateramp/core/extension';

/** The steps of each gate, by the worker that runs them. */
const ALL = new WeakMap<SteppedWork, Turns>();

export function turnsOf(worker: SteppedWork): Turns {
  const turns = ALL.get(worker) ?? new Turns();
  ALL.set(worker, turns);
  return turns;
}

/**
 * Runs steps of one clock one after another in the order of the calls; a failure blocks nothing. A step of the whole mode moves every
 * sandbox, so it runs alone.
 */
class Turns {
  /** The last turn of each partner's clock, running or waiting; null is the clock of the whole mode. */
  private readonly last = new Map<string | null, Promise<unknown>>();

  isBusy(partner: string | null): boolean {
    return this.before(partner).length > 0;
  }

  take<Value>(partner: string | null, work: () => Promise<Value>): Promise<Value> {
    const turn = Promise.all(this.before(partner)).then(work);
    const ended = turn
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(partner) === ended) this.last.delete(partner);
      });
    this.last.set(partner, ended);
    return turn;
  }

  private before(partner: string | null): readonly Promise<unknown>[] {
    const others = partner === null ? [...this.last.keys()] : [partner, null];
    return others.flatMap((other) => this.last.get(other) ?? []);
  }
}
