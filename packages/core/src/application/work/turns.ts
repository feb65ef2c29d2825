/** Runs what it is given one after another, in the order it was asked; what fails holds up nobody. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  take<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
