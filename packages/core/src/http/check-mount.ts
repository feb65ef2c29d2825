import { MODES, type Mode } from '../domain/mode.js';

/**
 * What is wrong with how a gate is mounted; null when nothing is. Types do not reach hosts in JavaScript, and without this a
 * missing gate fails at the first payment, and a mode that is none serves 404 to everything.
 */
export function mountFault(gate: unknown, options: unknown): string | null {
  if (!isGate(gate)) return 'There is no gate here; it is what createGate(…) answers.';
  return modeFault(options);
}

/** The mode that the options of a mount name, or why they name none. */
export function modeFault(options: unknown): string | null {
  const mode = typeof options === 'object' && options !== null && 'mode' in options ? options.mode : undefined;
  if (MODES.some((one: Mode) => one === mode)) return null;
  return `mode must be 'test' or 'live', not ${JSON.stringify(mode) ?? 'undefined'}: it says whose keys this host takes.`;
}

function isGate(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'handle' in value && typeof value.handle === 'function';
}
