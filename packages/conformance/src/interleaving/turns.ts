import { AsyncLocalStorage } from 'node:async_hooks';

/** One of several concurrent actors: a buyer, a partner, a worker, a clock. */
export interface Actor {
  readonly name: string;
  readonly process: string;
  act(): Promise<void>;
}

interface Cast {
  readonly actor: Actor;
  state: 'acting' | 'done';
}

interface Parked {
  readonly cast: Cast;
  readonly resume: () => void;
}

/**
 * Runs one of several actors at a time. Every call of a port parks before and after its effect, and the seed decides which parked call
 * resumes. Nothing else affects the order: a seed gives the same interleaving on every store, however slow.
 */
export class Turns {
  /** The trace of resumed calls, for the error of a failed trial. */
  readonly story: string[] = [];
  private readonly casts: Cast[] = [];
  private readonly current = new AsyncLocalStorage<Cast>();
  private parked: Parked[] = [];
  private readonly dead = new Set<string>();
  private effects = 0;

  constructor(private readonly chance: () => number) {}

  /** Runs all actors until they end or their process crashes. Rejects with the first error of an actor. */
  async run(actors: readonly Actor[]): Promise<void> {
    const errors: unknown[] = [];
    for (const actor of actors) {
      const cast: Cast = { actor, state: 'acting' };
      this.casts.push(cast);
      const act = async (): Promise<void> => {
        await this.turn('enters');
        await actor.act();
      };
      this.current.run(cast, act).then(
        () => void (cast.state = 'done'),
        (error: unknown) => {
          cast.state = 'done';
          errors.push(error);
        },
      );
    }
    while (await this.isAnyParked()) this.resumeOne();
    if (errors.length > 0) throw errors[0];
  }

  /** Waits for a turn. Returns at once outside of `run`. */
  async turn(what: string): Promise<void> {
    const cast = this.current.getStore();
    if (cast === undefined) return;
    await new Promise<void>((resolve) => {
      const resume = (): void => {
        this.story.push(`${cast.actor.name}@${cast.actor.process}: ${what}`);
        resolve();
      };
      this.parked.push({ cast, resume });
    });
  }

  /** Runs an effect between two turns of the calling process. */
  async between<Value>(process: string, what: string, effect: () => Promise<Value>): Promise<Value> {
    if (this.dead.has(process)) return forever();
    await this.turn(what);
    if (this.dead.has(process)) return forever();
    this.effects += 1;
    try {
      return await effect();
    } finally {
      this.effects -= 1;
      await this.turn(`${what} is back`);
      if (this.dead.has(process)) await forever();
    }
  }

  /** From now on the process has no effects and receives no results. */
  kill(process: string): void {
    this.story.push(`† ${process}`);
    this.dead.add(process);
    this.parked = this.parked.filter((one) => one.cast.actor.process !== process);
  }

  private resumeOne(): void {
    const [one] = this.parked.splice(Math.floor(this.chance() * this.parked.length), 1);
    one?.resume();
  }

  /**
   * Waits until all actors are parked, so that the speed of the store does not matter. An actor that waits for another one of the same
   * process (two workers share a round) does not park, and is no longer waited for after a while.
   */
  private async isAnyParked(): Promise<boolean> {
    for (let ticks = 0; ticks < TICKS_MAX;) {
      await nextTick(ticks);
      if (this.effects > 0) continue;
      ticks += 1;
      const acting = this.casts.filter(({ actor, state }) => state === 'acting' && !this.dead.has(actor.process));
      if (acting.every((cast) => this.parked.some((one) => one.cast === cast))) break;
    }
    return this.parked.length > 0;
  }
}

const TICKS_MAX = 40;

/** A new promise for each call: waiters of a shared one would never be garbage-collected. */
const forever = (): Promise<never> => new Promise(() => undefined);

/** Polls quickly at first, then slowly: token signatures are computed in threads. */
function nextTick(ticks: number): Promise<void> {
  return new Promise((resolve) => {
    if (ticks < 20) setImmediate(resolve);
    else setTimeout(resolve, 1);
  });
}

/** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
export function chanceFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
