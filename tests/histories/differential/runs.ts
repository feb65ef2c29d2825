import { isDeep } from '../../depth.js';

/** The number of histories: `GATE_TEST_HISTORIES` if set, otherwise `usual` in a deep run and a quarter of it in a quick one. */
export function runs(usual: number): number {
  return Number(process.env['GATE_TEST_HISTORIES'] ?? (isDeep ? usual : Math.ceil(usual / 4)));
}
