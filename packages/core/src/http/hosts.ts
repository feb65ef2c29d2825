import { MODES, type Mode } from '../domain/mode.js';

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
