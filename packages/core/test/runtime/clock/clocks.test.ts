import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { adjustableSystemClock, manualClock, systemClock } from '../../../src/runtime/index.js';
import { memorySettings } from '../memory-settings.js';

const start = 1_700_000_000_000;

/** A machine whose clock is set by the test. */
function machine(): { wall: number; readonly read: () => number } {
  const state = { wall: start, read: () => state.wall };
  return state;
}

describe('the system clock', () => {
  it('shows the machine\'s time in both modes', () => {
    const host = machine();
    const clock = systemClock(host.read);
    host.wall += 5;
    expect([clock.now('test'), clock.now('live'), clock.wall()]).toEqual([start + 5, start + 5, start + 5]);
  });

  test.prop([fc.array(fc.integer({ min: -10_000, max: 10_000 }))])('never steps back, whatever the machine does', (moves) => {
    const host = machine();
    const clock = systemClock(host.read);
    let last = clock.wall();
    for (const move of moves) {
      host.wall += move;
      expect(clock.now('live')).toBeGreaterThanOrEqual(last);
      last = clock.wall();
    }
  });

  it('is the real time unless told otherwise', () => {
    expect(Math.abs(systemClock().wall() - Date.now())).toBeLessThan(1_000);
  });
});

describe('the adjustable clock', () => {
  it('moves test mode alone, and goes on from there', async () => {
    const host = machine();
    const clock = adjustableSystemClock(memorySettings(), systemClock(host.read));
    await clock.open();
    await clock.advanceTo(start + 60_000);
    host.wall += 7;
    expect(clock.now('test')).toBe(start + 60_007);
    expect([clock.now('live'), clock.wall()]).toEqual([start + 7, start + 7]);
  });

  it('goes nowhere when it is there already', async () => {
    const host = machine();
    const clock = adjustableSystemClock(memorySettings(), systemClock(host.read));
    await clock.advanceTo(start + 60_000);
    await clock.advanceTo(start + 30_000);
    expect(clock.now('test')).toBe(start + 60_000);
  });

  it('keeps its offset over a restart', async () => {
    const [host, settings] = [machine(), memorySettings()];
    await adjustableSystemClock(settings, systemClock(host.read)).advanceTo(start + 60_000);
    const next = adjustableSystemClock(settings, systemClock(host.read));
    await next.open();
    expect(next.now('test')).toBe(start + 60_000);
  });

  it('shows a move only after it is stored', async () => {
    const settings = memorySettings();
    const host = machine();
    const failing = adjustableSystemClock(
      { ...settings, swapSetting: () => Promise.reject(new Error('store down')) },
      systemClock(host.read),
    );
    await expect(failing.advanceTo(start + 60_000)).rejects.toThrow('store down');
    expect(failing.now('test')).toBe(start);
  });

  it('never takes back what another process stored', async () => {
    const [host, settings] = [machine(), memorySettings()];
    const [a, b] = [0, 1].map(() => adjustableSystemClock(settings, systemClock(host.read)));
    if (!a || !b) throw new Error('two were made');
    await Promise.all([a.advanceTo(start + 90_000), b.advanceTo(start + 60_000)]);
    expect(b.now('test')).toBe(start + 90_000);
    await b.advanceTo(start + 120_000);
    expect(settings.values.get('test_clock_offset_ms')).toBe('120000');
  });

  it('does not step back when the stored offset does', async () => {
    const [host, settings] = [machine(), memorySettings()];
    const lowering = { ...settings, swapSetting: async () => '10' };
    const clock = adjustableSystemClock(lowering, systemClock(host.read));
    settings.values.set('test_clock_offset_ms', '60000');
    await clock.open();
    await expect(clock.advanceTo(start + 90_000)).rejects.toThrow(/moved by others/);
    expect(clock.now('test')).toBe(start + 60_000);
  });

  it('refuses to start on a setting it cannot read', async () => {
    const settings = memorySettings();
    settings.values.set('test_clock_offset_ms', 'soon');
    await expect(adjustableSystemClock(settings).open()).rejects.toThrow(/whole number/);
  });
});

describe('the manual clock', () => {
  it('stands still until it is moved, never back, modes and wall together', async () => {
    const clock = manualClock(start);
    expect([clock.now('test'), clock.now('live'), clock.wall()]).toEqual([start, start, start]);
    await clock.advanceTo(start + 10);
    await clock.advanceTo(start + 5);
    expect([clock.now('test'), clock.now('live'), clock.wall()]).toEqual([start + 10, start + 10, start + 10]);
  });
});
