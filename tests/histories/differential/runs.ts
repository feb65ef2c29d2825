import { isDeep } from '../../depth.js';

/** The number of histories: `usual` of a deep run, a quarter of a quick one, or what `GATE_TEST_HISTORIES` asks for. */
export function runs(usual: number): number {
  return Number(process.env['GATE_TEST_HISTORIES'] ?? (isDeep ? usual : Math.ceil(usual / 4)));
}
