/** Runs what it is given one after another, in the order it was asked; a failure blocks nothing. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private taken = 0;

  /** Whether something runs or waits for its turn. */
  get isBusy(): boolean {
    return this.taken > 0;
  }

  take<Value>(work: () => Promise<Value>): Promise<Value> {
    this.taken += 1;
    const turn = this.last.then(work).finally(() => {
      this.taken -= 1;
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
