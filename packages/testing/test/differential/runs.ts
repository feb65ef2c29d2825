const seed = process.env['GATE_TEST_SEED'];

/** `GATE_TEST_SEED` replays a failure with the seed it printed. */
export const replay = seed === undefined ? {} : { seed: Number(seed) };

/** `GATE_TEST_HISTORIES` makes it a longer run. */
export function runs(usual: number): number {
  return Number(process.env['GATE_TEST_HISTORIES'] ?? usual);
}
