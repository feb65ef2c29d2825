import { MODES, type Mode } from '../domain/mode.js';

/** A mounted handler is a host, and has one mode; the two of the checkout are called after theirs. */
export type Host = Mode;

/** Routes of the product itself exist on both hosts, the same (spec: Versioning 3). */
export const CHECKOUT_HOSTS: readonly Host[] = MODES;

/** Test helpers do not exist on the live host. */
export const TEST_HOST: readonly Host[] = ['test'];
