/** `GATE_TEST_HISTORIES` makes it a longer run. */
export function runs(usual: number): number {
  return Number(process.env['GATE_TEST_HISTORIES'] ?? usual);
}
