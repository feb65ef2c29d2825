import { beforeEach, expect, it } from 'vitest';
import { Admission, type Slot } from '../../../src/http/pipeline/admission.js';

interface Timer {
  readonly run: () => void;
  readonly at: number;
}

let now: number;
let timers: Set<Timer>;
let admit: (contendedMin: number) => Admission;
let admission: Admission;

beforeEach(() => {
  now = 0;
  timers = new Set();
  const later = (run: () => void, delayMs: number): (() => void) => {
    const timer = { run, at: now + delayMs };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  admit = (contendedMin) =>
    new Admission(
      { inFlightMax: 64, contendedMin, waitingMax: 256, waitMax: 500, partnerMax: 1_024 },
      { later, now: () => now },
    );
  admission = admit(1);
});

async function pass(ms: number): Promise<void> {
  const end = now + ms;
  for (;;) {
    const [next] = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
    if (next === undefined) break;
    timers.delete(next);
    now = next.at;
    next.run();
  }
  now = end;
  await Promise.resolve();
}

it('runs one request per partner while partners compete and requests slow each other down', async () => {
  await admission.enter('one');
  await admission.enter('two');
  expect(admission.enter('one')).toBeInstanceOf(Promise);
  expect(admission.enter('two')).toBeInstanceOf(Promise);
});

it('lets a partner send requests while one of its requests hangs', async () => {
  await admission.enter('one');
  const place: Slot[] = [];
  void Promise.resolve(admission.enter('two'));
  const waiting = Promise.resolve(admission.enter('one')).then((got) => got !== null && place.push(got));
  await pass(99);
  expect(place).toHaveLength(0);
  await pass(1);
  await waiting;
  expect(place).toHaveLength(1);
});

it('no longer counts a slow request once it has ended', async () => {
  const [one, two] = [await admission.enter('one'), await admission.enter('two')];
  await pass(100);
  one?.leave();
  two?.leave();
  await admission.enter('one');
  await admission.enter('two');
  expect(admission.enter('one')).toBeInstanceOf(Promise);
});

it.each([
  { waiting: 129, begins: 1 },
  { waiting: 127, begins: 3 },
])('runs fewer requests of a partner that takes half of the room to wait: $waiting', async ({ waiting, begins }) => {
  admission = admit(4);
  await admission.enter('small');
  const running = [await admission.enter('large'), await admission.enter('large'), await admission.enter('large')];
  let begun = 0;
  for (let nth = 0; nth < waiting; nth += 1)
    void Promise.resolve(admission.enter('large')).then((place) => (begun += place === null ? 0 : 1));

  for (const place of running) place?.leave();
  await pass(0);
  expect(begun).toBe(begins);
});
