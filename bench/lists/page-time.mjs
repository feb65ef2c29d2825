export const FEW = 10_000;
export const MANY = 1_000_000;
export const SCOPE = { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' };

const NO_FILTER = {
  status: null,
  flow: null,
  currency: null,
  userReference: null,
  createdAfter: null,
  createdBefore: null,
};
const PAGES = 400;

/** A session as the engine writes it, without its id. */
export const ROW = {
  ...SCOPE,
  version: 1,
  status: 'open',
  terms: { flow: null, amount: '100.00', currency: 'EUR' },
  metadata: '{}',
  createdAt: 1,
  expiresAt: 9_000_000_000_000,
  heldSince: null,
  userReference: null,
  pad: 'x'.repeat(400),
};

/**
 * The time for a page at `MANY` sessions relative to the time at `FEW`, for pages after a cursor deep in the list.
 *
 * @param {{ title: string, few: object, many: object, rounds: number, atMost: number }} lists stores with `FEW` and `MANY` sessions
 */
export async function comparePages({ title, few, many, rounds, atMost }) {
  const times = { few: [], many: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.few.push(await pageTime(few, FEW));
    times.many.push(await pageTime(many, MANY));
  }
  const ratio = median(times.many) / median(times.few);
  const passed = ratio <= atMost;
  process.stdout.write(
    `${passed ? 'ok  ' : 'MISS'} ${title}: page at 10^6 sessions: ${ratio.toFixed(2)} × the time at 10^4 (at most ${atMost}, aim 1.0) · ` +
      `${median(times.many).toFixed(2)} ms against ${median(times.few).toFixed(2)} ms\n`,
  );
  return { title, ratio, passed };
}

/** The average milliseconds per page, over pages spread across the whole list. */
async function pageTime(store, count) {
  const began = performance.now();
  for (let n = 1; n <= PAGES; n += 1) {
    const id = Math.floor((count / (PAGES + 1)) * n)
      .toString(16)
      .padStart(24, '0');
    const found = await store.list('session', SCOPE, NO_FILTER, { limit: 100, start: { kind: 'after', id } }, 1_000);
    if (found.length === 0) throw new Error('A page is empty.');
  }
  return (performance.now() - began) / PAGES;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
