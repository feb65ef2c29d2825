import { type Mode, MODES } from '../domain/mode.js';

/**
 * A mounted handler is a host with one mode. The checkout's two hosts are named after their modes; the pools product has one host, live
 * only.
 */
export type Host = Mode | 'pools';

export function modeOf(host: Host): Mode {
  return host === 'pools' ? 'live' : host;
}

/** The checkout product has the same routes on both hosts (spec: Versioning 3). */
export const CHECKOUT_HOSTS: readonly Host[] = MODES;

/** Test helpers do not exist on the live host. */
export const TEST_HOST: readonly Host[] = ['test'];

export const POOLS_HOST: readonly Host[] = ['pools'];

export const ALL_HOSTS: readonly Host[] = [...CHECKOUT_HOSTS, ...POOLS_HOST];

/**
 * Why a gate cannot be mounted this way; null if it can. JavaScript hosts get no type errors, and without this check a missing gate would
 * fail at the first payment, and an unknown mode would respond with 404 to everything.
 */
export function mountProblem(gate: unknown, options: unknown): string | null {
  if (!isGate(gate)) return 'gate is missing; pass the value that createGate(…) returns.';
  return modeProblem(options, modesOf(gate));
}

/** Why the mode in the mount options does not fit the host; null if it does. */
export function modeProblem(options: unknown, modes: readonly Mode[] = MODES): string | null {
  const mode = typeof options === 'object' && options !== null && 'mode' in options ? options.mode : undefined;
  if (modes.some((one: Mode) => one === mode)) return null;
  const known = modes.map((one) => `'${one}'`).join(' or ');
  return `mode must be ${known}, not ${JSON.stringify(mode) ?? 'undefined'}: it selects which keys this host accepts.`;
}

function isGate(value: unknown): value is { readonly handle: unknown } {
  return typeof value === 'object' && value !== null && 'handle' in value && typeof value.handle === 'function';
}

/** A wrapped gate may have no `modes`; it then serves both. */
function modesOf(gate: object): readonly Mode[] {
  const modes: unknown = 'modes' in gate ? gate.modes : undefined;
  return Array.isArray(modes) ? MODES.filter((mode) => modes.includes(mode)) : MODES;
}
