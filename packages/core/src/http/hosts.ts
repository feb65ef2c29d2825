import { type Mode, MODES } from '../domain/mode.js';

/**
 * A mounted handler is a host, and has one mode; the two of the checkout are called after theirs. The pools product has
 * one of its own, live only.
 */
export type Host = Mode | 'pools';

export function modeOf(host: Host): Mode {
  return host === 'pools' ? 'live' : host;
}

/** Routes of the product itself exist on both hosts, the same (spec: Versioning 3). */
export const CHECKOUT_HOSTS: readonly Host[] = MODES;

/** Test helpers do not exist on the live host. */
export const TEST_HOST: readonly Host[] = ['test'];

export const POOLS_HOST: readonly Host[] = ['pools'];

export const ALL_HOSTS: readonly Host[] = [...CHECKOUT_HOSTS, ...POOLS_HOST];

/**
 * What is wrong with how a gate is mounted; null when nothing is. Types do not reach hosts in JavaScript, and without this a
 * missing gate fails at the first payment, and an unknown mode serves 404 to everything.
 */
export function mountProblem(gate: unknown, options: unknown): string | null {
  if (!isGate(gate)) return 'gate is missing; pass the value that createGate(…) returns.';
  return modeProblem(options, modesOf(gate));
}

/** The mode that the options of a mount name, or why it does not fit the host. */
export function modeProblem(options: unknown, modes: readonly Mode[] = MODES): string | null {
  const mode = typeof options === 'object' && options !== null && 'mode' in options ? options.mode : undefined;
  if (modes.some((one: Mode) => one === mode)) return null;
  const known = modes.map((one) => `'${one}'`).join(' or ');
  return `mode must be ${known}, not ${JSON.stringify(mode) ?? 'undefined'}: it selects which keys this host accepts.`;
}

function isGate(value: unknown): value is { readonly handle: unknown } {
  return typeof value === 'object' && value !== null && 'handle' in value && typeof value.handle === 'function';
}

/** A wrapper of a gate may name none; then it has both. */
function modesOf(gate: object): readonly Mode[] {
  const modes: unknown = 'modes' in gate ? gate.modes : undefined;
  return Array.isArray(modes) ? MODES.filter((mode) => modes.includes(mode)) : MODES;
}
