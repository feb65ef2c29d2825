import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../../src/domain/instant.js';
import type { Clock, Clocks, Settings } from '../../../src/ports/index.js';
import { adjustableSystemClock, manualClock, sandboxClocks, systemClock } from '../../../src/runtime/index.js';
import { memorySettings } from '../memory-settings.js';

const start = 1_700_000_000_000;

/** Resolves after all that is pending without a timer. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A machine whose clock the test sets, with a count that is independent of that clock. */
class Machine {
  elapsed = 0;
  /** The change made to its clock. */
  ahead = 0;
  readonly read = (): number => start + this.elapsed + this.ahead;
  readonly clock = (): Clock => systemClock(this.read, () => 77 + this.elapsed);
}

describe('the system clock', () => {
  it("shows the machine's time in both modes", () => {
    const host = new Machine();
    const clock = host.clock();
    host.elapsed += 5;
    expect([clock.now('test'), clock.now('live'), clock.wall()]).toEqual([start + 5, start + 5, start + 5]);
  });

  it("shows the machine's wall clock immediately, also backwards", () => {
    const host = new Machine();
    const clock = host.clock();
    for (const ahead of [HOUR, 0, -HOUR, 40]) {
      host.ahead = ahead;
      expect(clock.wall()).toBe(start + ahead);
    }
  });

  it("keeps mode time through a temporary jump of the machine's clock, in either direction", () => {
    const host = new Machine();
    const clock = host.clock();
    for (const jump of [HOUR, -HOUR]) {
      host.ahead = jump;
      expect(clock.now('live')).toBe(start + host.elapsed);
      host.elapsed += 3 * SECOND;
      expect(clock.now('live')).toBe(start + host.elapsed);
      host.ahead = 0;
      expect(clock.now('live')).toBe(start + host.elapsed);
      host.elapsed += HOUR;
      expect(clock.now('live')).toBe(start + host.elapsed);
    }
  });

  it('follows a lasting jump: forwards at once, backwards by running at half speed', () => {
    const host = new Machine();
    const clock = host.clock();
    host.ahead = HOUR;
    clock.now('live');
    host.elapsed += 10 * SECOND;
    expect(clock.now('live')).toBe(host.read());
    host.ahead = 0;
    const before = clock.now('live');
    host.elapsed += 10 * SECOND;
    clock.now('live');
    host.elapsed += HOUR;
    expect(clock.now('live')).toBe(before + 10 * SECOND + HOUR / 2);
    host.elapsed += 2 * HOUR;
    expect(clock.now('live')).toBe(host.read());
  });

  it('does not mistake two jumps for one that has lasted', () => {
    const host = new Machine();
    const clock = host.clock();
    for (const jump of [HOUR, 2 * HOUR, -HOUR, HOUR]) {
      host.ahead = jump;
      clock.now('live');
      host.elapsed += 9 * SECOND;
      expect(clock.now('live')).toBe(start + host.elapsed);
    }
  });

  test.prop([fc.array(fc.tuple(fc.integer({ min: -10_000, max: 10_000 }), fc.nat(20_000)))])(
    'never moves a mode back, whatever the machine does',
    (moves) => {
      const host = new Machine();
      const clock = host.clock();
      let last = clock.now('live');
      for (const [move, passes] of moves) {
        host.ahead += move;
        host.elapsed += passes;
        const next = clock.now('test');
        expect(Number.isSafeInteger(next)).toBe(true);
        expect(next).toBeGreaterThanOrEqual(last);
        last = next;
      }
    },
  );

  it('is the real time by default', () => {
    expect(Math.abs(systemClock().wall() - Date.now())).toBeLessThan(1_000);
  });
});

describe('the adjustable clock', () => {
  it('advances only test mode, and continues from there', async () => {
    const host = new Machine();
    const clock = adjustableSystemClock(memorySettings(), host.clock());
    await clock.open();
    await clock.advanceTo(start + 60_000);
    host.elapsed += 7;
    expect(clock.now('test')).toBe(start + 60_007);
    expect([clock.now('live'), clock.wall()]).toEqual([start + 7, start + 7]);
  });

  it('does nothing if the instant is already reached', async () => {
    const host = new Machine();
    const clock = adjustableSystemClock(memorySettings(), host.clock());
    await clock.advanceTo(start + 60_000);
    await clock.advanceTo(start + 30_000);
    expect(clock.now('test')).toBe(start + 60_000);
  });

  it('keeps its offset across a restart', async () => {
    const [host, settings] = [new Machine(), memorySettings()];
    await adjustableSystemClock(settings, host.clock()).advanceTo(start + 60_000);
    const next = adjustableSystemClock(settings, host.clock());
    await next.open();
    expect(next.now('test')).toBe(start + 60_000);
  });

  it('advances by whole milliseconds, so that the stored offset can be read at the next start', async () => {
    const [host, settings] = [new Machine(), memorySettings()];
    await adjustableSystemClock(settings, host.clock()).advanceTo(start + 1_100.25);
    const next = adjustableSystemClock(settings, host.clock());
    await next.open();
    expect(next.now('test')).toBe(start + 1_101);
  });

  it('shows an advance only after it is stored', async () => {
    const settings = memorySettings();
    const host = new Machine();
    const failing = adjustableSystemClock(
      { ...settings, swapSetting: () => Promise.reject(new Error('store down')) },
      host.clock(),
    );
    await expect(failing.advanceTo(start + 60_000)).rejects.toThrow('store down');
    expect(failing.now('test')).toBe(start);
  });

  it('never reduces an offset that another process stored', async () => {
    const [host, settings] = [new Machine(), memorySettings()];
    const [a, b] = [0, 1].map(() => adjustableSystemClock(settings, host.clock()));
    if (!a || !b) throw new Error('two were made');
    await Promise.all([a.advanceTo(start + 90_000), b.advanceTo(start + 60_000)]);
    expect(b.now('test')).toBe(start + 90_000);
    await b.advanceTo(start + 120_000);
    expect(settings.values.get('test_clock_offset_ms')).toBe('120000');
  });

  it('does not move back when the stored offset does', async () => {
    const [host, settings] = [new Machine(), memorySettings()];
    const lowering = { ...settings, swapSetting: async () => '10' };
    const clock = adjustableSystemClock(lowering, host.clock());
    settings.values.set('test_clock_offset_ms', '60000');
    await clock.open();
    await expect(clock.advanceTo(start + 90_000)).rejects.toThrow(/advanced by another request/);
    expect(clock.now('test')).toBe(start + 60_000);
  });

  it('refuses to start with an invalid setting', async () => {
    const settings = memorySettings();
    settings.values.set('test_clock_offset_ms', 'soon');
    await expect(adjustableSystemClock(settings).open()).rejects.toThrow(/whole number/);
  });
});

describe('the clocks of sandboxes', () => {
  const [acme, bolt] = [
    { partnerId: 'acme', mode: 'test' },
    { partnerId: 'bolt', mode: 'test' },
  ] as const;
  const open = (host: Machine, settings: Settings = memorySettings(), errors: unknown[] = []): Clocks =>
    sandboxClocks(host.clock(), settings, { mayMove: true, onError: (error) => errors.push(error) });

  it('moves one sandbox and no other, and both continue from there', async () => {
    const host = new Machine();
    const clocks = open(host);
    await clocks.advanceTo('acme', start + 60_000);
    host.elapsed += 7;
    expect([clocks.now(acme), clocks.now(bolt), clocks.ofMode('test')]).toEqual([start + 60_007, start + 7, start + 7]);
    expect(clocks.now({ ...acme, mode: 'live' })).toBe(start + 7);
    expect([...clocks.ahead()]).toEqual([['acme', 60_000]]);
  });

  it('begins at the time of test mode, which moves every sandbox', async () => {
    const [host, settings] = [new Machine(), memorySettings()];
    settings.values.set('test_clock_offset_ms', '3600000');
    const mode = adjustableSystemClock(settings, host.clock());
    await mode.open();
    const clocks = sandboxClocks(mode, settings, { mayMove: true, onError: () => undefined });
    await clocks.advanceTo('acme', start + 3_660_000);
    expect([clocks.now(acme), clocks.now(bolt)]).toEqual([start + 3_660_000, start + 3_600_000]);
    await mode.advanceTo(start + 7_200_000);
    expect([clocks.now(acme), clocks.now(bolt)]).toEqual([start + 7_260_000, start + 7_200_000]);
  });

  it('keeps its offset across a restart, by whole milliseconds', async () => {
    const [host, settings] = [new Machine(), memorySettings()];
    await open(host, settings).advanceTo('acme', start + 1_100.25);
    const next = open(host, settings);
    await next.refresh();
    expect(next.now(acme)).toBe(start + 1_101);
  });

  it('shows an advance only after it is stored', async () => {
    const failing = { ...memorySettings(), swapSetting: () => Promise.reject(new Error('store down')) };
    const clocks = open(new Machine(), failing);
    await expect(clocks.advanceTo('acme', start + 60_000)).rejects.toThrow('store down');
    expect(clocks.now(acme)).toBe(start);
  });

  it('sees what another process has moved five seconds later at the latest, and reports when it cannot', async () => {
    const [host, settings] = [new Machine(), memorySettings()];
    const [mine, theirs] = [open(host, settings), open(host, settings)];
    await mine.refresh();
    await theirs.advanceTo('acme', start + 60_000);
    void mine.follow();
    await settled();
    expect(mine.now(acme)).toBe(start);
    host.elapsed += 5_000;
    void mine.follow();
    await settled();
    expect(mine.now(acme)).toBe(start + 65_000);

    const errors: unknown[] = [];
    let isAway = false;
    const listSettings: Settings['listSettings'] = (prefix) =>
      isAway ? Promise.reject(new Error('store down')) : settings.listSettings(prefix);
    const away = open(host, { ...settings, listSettings }, errors);
    await away.refresh();
    isAway = true;
    host.elapsed += 5_000;
    void away.follow();
    await settled();
    expect([errors.length, away.now(acme)]).toEqual([1, start + 70_000]);
  });

  it('where several processes step sandboxes, a request waits for offsets that are a second old', async () => {
    const [host, settings, errors] = [new Machine(), memorySettings(), [] as unknown[]];
    let isAway = false;
    const listSettings: Settings['listSettings'] = (prefix) =>
      isAway ? Promise.reject(new Error('store down')) : settings.listSettings(prefix);
    const options = { mayMove: true, isShared: true, onError: (error: unknown) => void errors.push(error) };
    const mine = sandboxClocks(host.clock(), { ...settings, listSettings }, options);
    const theirs = open(host, settings);
    await mine.refresh();
    await theirs.advanceTo('acme', start + 60_000);
    expect(mine.follow()).toBeUndefined();
    host.elapsed += 1_000;
    await mine.follow();
    expect(mine.now(acme)).toBe(start + 61_000);
    isAway = true;
    host.elapsed += 1_000;
    await mine.follow();
    expect([errors.length, mine.now(acme)]).toEqual([1, start + 62_000]);
  });

  it('never steps back and never loses an advance, whatever processes race', async () => {
    const advances = fc.array(
      fc.record({ process: fc.nat(2), partner: fc.constantFrom('acme', 'bolt'), to: fc.nat(100_000) }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), advances, async (scheduler, all) => {
        const [host, settings] = [new Machine(), memorySettings()];
        // Every call of the store ends at some later time, in any order.
        const racing: Settings = {
          readSetting: scheduler.scheduleFunction(settings.readSetting),
          listSettings: scheduler.scheduleFunction(settings.listSettings),
          swapSetting: scheduler.scheduleFunction(settings.swapSetting.bind(settings)),
        };
        const processes = [0, 1, 2].map(() => open(host, racing));
        const seen = new Map<string, number>();
        const look = (): void => {
          for (const [at, clocks] of processes.entries())
            for (const scope of [acme, bolt]) {
              const name = `${at}/${scope.partnerId}`;
              expect(clocks.now(scope)).toBeGreaterThanOrEqual(seen.get(name) ?? 0);
              seen.set(name, clocks.now(scope));
            }
        };
        const done = all.map(async ({ process, partner, to }) => {
          const clocks = processes[process];
          await clocks?.advanceTo(partner, start + to);
          expect(clocks?.now({ partnerId: partner, mode: 'test' })).toBeGreaterThanOrEqual(start + to);
        });
        while (scheduler.count() > 0) {
          await scheduler.waitOne();
          look();
        }
        await Promise.all(done);
        await scheduler.waitFor(Promise.all(processes.map((clocks) => clocks.refresh())));
        look();
        for (const { partnerId } of [acme, bolt]) {
          const most = Math.max(0, ...all.filter(({ partner }) => partner === partnerId).map(({ to }) => to));
          expect(processes.map((clocks) => clocks.now({ partnerId, mode: 'test' }) - start)).toEqual([
            most,
            most,
            most,
          ]);
        }
      }),
    );
  });
});

describe('the manual clock', () => {
  it('stands still until it is advanced, never moves back, and moves modes and wall clock together', async () => {
    const clock = manualClock(start);
    expect([clock.now('test'), clock.now('live'), clock.wall()]).toEqual([start, start, start]);
    await clock.advanceTo(start + 10);
    await clock.advanceTo(start + 5);
    expect([clock.now('test'), clock.now('live'), clock.wall()]).toEqual([start + 10, start + 10, start + 10]);
  });
});
