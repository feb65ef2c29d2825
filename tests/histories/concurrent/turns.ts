/**
 * Decides which waiting call continues: a random one, by a seed, and only when all others wait too. Work that takes real time elsewhere
 * (the cryptography of tokens runs on threads) is awaited, so that a seed always gives the same order.
 */
export class Turns {
  private waiting: (() => void)[] = [];
  private outside = 0;
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Resolves when it is the caller's turn. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Runs a call, with a turn before its effect and another one before its result is returned. */
  async around<Value>(call: () => Promise<Value> | Value): Promise<Value> {
    await this.wait();
    try {
      return await call();
    } finally {
      await this.wait();
    }
  }

  async elsewhere<Value>(call: () => Promise<Value>): Promise<Value> {
    this.outside += 1;
    try {
      return await call();
    } finally {
      this.outside -= 1;
    }
  }

  /** Gives turns until the work is done. */
  async until<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.outside === 0) this.waiting.splice(Math.floor(this.random() * this.waiting.length), 1)[0]?.();
    }
    return done;
  }

  /** A random number from 0 to 1 (mulberry32). */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), bits | 61)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** A port whose calls take turns. Members that are not functions stay unchanged. */
export function inTurns<Port extends object>(port: Port, turns: Turns): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => turns.around(() => Reflect.apply(value, target, given) as unknown);
    },
  });
}
