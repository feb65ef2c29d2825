import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/instant.js';
import type { Deadlines, Telemetry } from '../../../src/ports/index.js';
import { adjustableSystemClock, storeClock, systemDeadlines, type Timers } from '../../../src/runtime/index.js';
import { memorySettings } from '../memory-settings.js';

const START = 1_700_000_000_000;

/** A machine, a store and a network between them; time passes only in calls and waits. */
class World {
  /** The store's lead over the machine, before the machine's clock is set. */
  storeAhead = 0;
  there = 0;
  back = 0;
  /** The change made to the machine's clock. */
  wallAhead = 0;
  answer: (storeTime: number) => number = (storeTime) => storeTime;
  asked = 0;
  readonly alarms: Readonly<Record<string, unknown>>[] = [];
  readonly failures: unknown[] = [];
  private elapsed = 0;
  private timers: { readonly run: () => void; readonly at: number }[] = [];

  readonly ask = async (): Promise<number> => {
    this.asked += 1;
    this.elapsed += this.there;
    const answer = this.answer(START + this.elapsed + this.storeAhead);
    this.elapsed += this.back;
    return answer;
  };

  get storeTime(): number {
    return START + this.elapsed + this.storeAhead;
  }

  pass(ms: number): void {
    this.elapsed += ms;
  }

  /** Lets time pass, and runs timers that are due. */
  async live(ms: number): Promise<void> {
    const until = this.elapsed + ms;
    for (
      let due = this.timers.find(({ at }) => at <= until);
      due !== undefined;
      due = this.timers.find(({ at }) => at <= until)
    ) {
      const fired = due;
      this.timers = this.timers.filter((timer) => timer !== fired);
      this.elapsed = Math.max(this.elapsed, fired.at);
      fired.run();
      await aTurn();
    }
    this.elapsed = Math.max(this.elapsed, until);
  }

  clock(deadlines: Deadlines = systemDeadlines()) {
    const timers: Timers = {
      now: () => 77 + this.elapsed,
      setTimeout: (run, delayMs) => this.timers.push({ run, at: this.elapsed + delayMs }),
      clearTimeout: () => void (this.timers = []),
    };
    const telemetry: Telemetry = {
      alarm: (name, fields) => void this.alarms.push({ name, ...fields }),
      failure: (error) => void this.failures.push(error),
      note: () => undefined,
    };
    return storeClock(this.ask, {
      telemetry,
      timers,
      deadlines,
      readWall: () => START + this.elapsed + this.wallAhead,
    });
  }
}

function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const aSkew = fc.integer({ min: -DAY + 2 * SECOND, max: DAY - 2 * SECOND });

describe("the clock that follows the store's", () => {
  it("shows the store's time in both modes and does not affect the wall clock", async () => {
    const world = new World();
    world.storeAhead = 90 * SECOND;
    const clock = world.clock();
    await clock.open();
    world.pass(5);
    expect([clock.now('test'), clock.now('live'), clock.wall()]).toEqual([world.storeTime, world.storeTime, START + 5]);
  });

  it('has no time until the store has answered, and asks every second', async () => {
    const world = new World();
    const answer = world.answer;
    world.answer = () => {
      throw new Error('away');
    };
    const clock = world.clock();
    await clock.open();
    expect(() => clock.now('test')).toThrow(expect.objectContaining({ outage: true }));
    expect([clock.isTrusted(), clock.wall(), world.failures.length]).toEqual([false, START, 1]);
    expect(world.alarms).toEqual([{ name: 'clock_untrusted' }]);
    world.answer = answer;
    await world.live(SECOND);
    expect([clock.now('live'), clock.isTrusted()]).toEqual([world.storeTime, true]);
  });

  test.prop([fc.integer({ min: -3650 * DAY, max: 3650 * DAY })])(
    "is right from the start, however far the machine's clock is off",
    async (storeAhead) => {
      const world = new World();
      world.storeAhead = storeAhead;
      const clock = world.clock();
      await clock.open();
      expect(clock.now('live')).toBe(world.storeTime);
    },
  );

  it('accepts a first answer that is the only one', async () => {
    const world = new World();
    world.storeAhead = -10 * MINUTE;
    world.answer = (storeTime) => {
      if (world.asked > 1) throw new Error('away');
      return storeTime;
    };
    const clock = world.clock();
    await clock.open();
    expect(clock.now('live')).toBe(world.storeTime);
  });

  it('accepts a slow answer while it has none', async () => {
    const world = new World();
    world.storeAhead = -10 * MINUTE;
    world.back = 4_000;
    const clock = world.clock();
    await clock.open();
    expect(Math.abs(clock.now('live') - world.storeTime)).toBeLessThanOrEqual(2_001);
  });

  test.prop([aSkew, fc.array(fc.tuple(fc.nat(200), fc.nat(200)), { minLength: 3, maxLength: 8 })])(
    "converges to the store's time, as precisely as the fastest answer allows",
    async (storeAhead, trips) => {
      const world = new World();
      world.storeAhead = storeAhead;
      const clock = world.clock();
      await clock.open();
      clock.now('live');
      world.storeAhead += HOUR / 2;
      for (const [there, back] of trips) {
        [world.there, world.back] = [there, back];
        await clock.sample();
      }
      const quickest = Math.min(...trips.slice(-3).map(([there, back]) => there + back));
      // Time that is ahead runs at half speed until it is caught up with.
      world.pass(2 * DAY);
      expect(Math.abs(clock.now('live') - world.storeTime)).toBeLessThanOrEqual(quickest / 2 + 1);
    },
  );

  test.prop([
    fc.array(
      fc.record({
        answer: fc.oneof(
          aSkew,
          fc.double(),
          fc.double({ min: -SECOND, max: SECOND, noNaN: true }),
          fc.constantFrom(NaN, Infinity, -Infinity, 'away' as const),
        ),
        wall: aSkew,
        trip: fc.nat(700),
        passes: fc.integer({ min: -SECOND, max: 2 * HOUR }),
      }),
    ),
  ])("never steps back, whatever the store answers and the machine's clock is set to", async (moments) => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    let last = { test: clock.now('test'), live: clock.now('live') };
    for (const { answer, wall, trip, passes } of moments) {
      world.wallAhead = wall;
      world.back = trip;
      world.answer = (storeTime) => {
        if (answer === 'away') throw new Error('away');
        return storeTime + answer;
      };
      await clock.sample();
      for (const step of [0, 1, passes]) {
        world.pass(step);
        if (!clock.isTrusted()) continue;
        const next = { test: clock.now('test'), live: clock.now('live') };
        for (const name of ['test', 'live'] as const) {
          expect(Number.isSafeInteger(next[name])).toBe(true);
          expect(next[name]).toBeGreaterThanOrEqual(last[name]);
        }
        last = next;
      }
    }
  });

  it('runs at half speed while it is ahead, and neither stops nor jumps', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    clock.now('live');
    world.storeAhead = -60 * SECOND;
    const began = clock.now('live');
    await clock.sample();
    expect(clock.now('live')).toBe(began);
    world.pass(20 * SECOND);
    expect(clock.now('live')).toBe(began + 10 * SECOND);
    world.pass(100 * SECOND);
    expect(clock.now('live')).toBe(world.storeTime);
    world.pass(SECOND);
    expect(clock.now('live')).toBe(world.storeTime);
  });

  test.prop([fc.integer({ min: SECOND, max: HOUR }), fc.boolean(), fc.nat(2)])(
    'is not affected by a single wrong answer',
    async (by, isEarly, nth) => {
      const world = new World();
      world.storeAhead = 3 * SECOND;
      let left = nth;
      world.answer = (storeTime) => ((left -= 1) === -1 ? storeTime + (isEarly ? -by : by) : storeTime);
      const clock = world.clock();
      await clock.open();
      await clock.sample();
      expect(clock.now('live')).toBe(world.storeTime);
    },
  );

  it('follows a store whose clock was set, once a second answer confirms it', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    world.storeAhead = 10 * MINUTE;
    await clock.sample();
    expect(clock.now('live')).toBe(world.storeTime);
  });

  it('follows the store after the machine slept', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    // Its count stood still; its clock was set right when it woke.
    world.storeAhead = world.wallAhead = 8 * HOUR;
    await world.live(MINUTE);
    expect(clock.now('live')).toBe(world.storeTime);
  });

  it('drops an answer that took half a second once it has a better one', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    const offset = clock.now('live') - world.storeTime;
    world.storeAhead = HOUR;
    world.back = 501;
    await clock.sample();
    await clock.sample();
    expect(clock.now('live')).toBe(world.storeTime - HOUR + offset);
    expect(world.failures).toEqual([]);
  });

  it('ignores an answer that is not a time', async () => {
    const world = new World();
    world.answer = () => NaN;
    const clock = world.clock();
    await clock.open();
    expect([clock.isTrusted(), String(world.failures)]).toEqual([
      false,
      'Error: The store returned an invalid time: NaN.',
    ]);
  });

  it('does not wait for an answer that never arrives', async () => {
    const world = new World();
    const never: Deadlines = { within: async () => ({ kind: 'late' }), rest: async () => undefined };
    const clock = world.clock(never);
    await clock.open();
    expect(clock.isTrusted()).toBe(false);
  });

  it('keeps its correction while the store is down, reports it once per outage, and keeps asking', async () => {
    const world = new World();
    world.storeAhead = 30 * SECOND;
    const clock = world.clock();
    await clock.open();
    const answer = world.answer;
    for (let outage = 1; outage <= 2; outage += 1) {
      world.answer = () => {
        throw new Error('away');
      };
      await world.live(HOUR);
      expect(clock.now('live')).toBe(world.storeTime);
      expect(world.failures).toHaveLength(outage);
      world.answer = answer;
      await world.live(MINUTE);
    }
  });

  it("is not affected by a change of the machine's clock", async () => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    world.wallAhead = 5 * HOUR;
    expect(clock.now('live')).toBe(START);
    world.wallAhead = -5 * HOUR;
    world.pass(5);
    expect(clock.now('live')).toBe(START + 5);
  });

  it('asks once a minute, and no more once it is closed', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    const first = world.asked;
    await world.live(10 * MINUTE);
    expect(world.asked).toBe(first + 10);
    clock.close();
    await world.live(10 * MINUTE);
    expect(world.asked).toBe(first + 10);
  });

  it('reports on stderr if the host has no telemetry', async () => {
    const written: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => (written.push(String(chunk)), true));
    const clock = storeClock(() => Promise.reject(new Error('The database is away.')));
    await clock.open();
    clock.close();
    vi.restoreAllMocks();
    expect(written.join('')).toMatch(/failure place=store clock: .*away[^]*alarm clock_untrusted/);
  });

  it('reports a large skew once, and again only after it has changed', async () => {
    const world = new World();
    world.storeAhead = 2 * SECOND;
    const clock = world.clock();
    await clock.open();
    await world.live(5 * MINUTE);
    expect(world.alarms).toEqual([]);
    world.storeAhead = 2 * SECOND + 1;
    await world.live(5 * MINUTE);
    expect(world.alarms).toEqual([{ name: 'clock_skewed', store_ahead_ms: 2_001 }]);
    world.storeAhead = 0;
    await world.live(5 * MINUTE);
    world.storeAhead = -HOUR;
    await world.live(5 * MINUTE);
    expect(world.alarms.slice(1)).toEqual([{ name: 'clock_skewed', store_ahead_ms: -HOUR }]);
  });

  it('has no time while the answers contradict each other, and continues when they agree', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    const shown = clock.now('live');
    world.answer = (storeTime) => storeTime + (world.asked % 2) * HOUR + world.asked * MINUTE;
    await world.live(MINUTE);
    expect(() => clock.now('live')).toThrow(/contradict each other/);
    expect(world.alarms.at(-1)).toEqual({ name: 'clock_untrusted' });
    world.answer = (storeTime) => storeTime;
    await world.live(2 * SECOND);
    expect(clock.now('live')).toBe(world.storeTime);
    expect(clock.now('live')).toBeGreaterThan(shown);
  });

  it('has no time after the store was set by more than a day, unless the machine was too', async () => {
    const world = new World();
    const clock = world.clock();
    await clock.open();
    clock.now('live');
    world.storeAhead = DAY + 1;
    await world.live(MINUTE);
    expect([clock.isTrusted(), world.alarms.length]).toEqual([false, 2]);
    world.storeAhead = 0;
    await world.live(2 * SECOND);
    expect(clock.now('live')).toBe(world.storeTime);
    world.storeAhead = world.wallAhead = 3 * DAY;
    await world.live(MINUTE);
    expect(clock.now('live')).toBe(world.storeTime);
  });

  it('can be the base of a test clock', async () => {
    const [world, settings] = [new World(), memorySettings()];
    world.storeAhead = 40 * SECOND;
    const shared = world.clock();
    await shared.open();
    const clock = adjustableSystemClock(settings, shared);
    await clock.advanceTo(world.storeTime + HOUR);
    world.pass(5);
    expect([clock.now('test'), clock.now('live'), clock.wall()]).toEqual([
      world.storeTime + HOUR,
      world.storeTime,
      START + 5,
    ]);
    expect(settings.values.get('test_clock_offset_ms')).toBe(String(HOUR));
  });
});
