import { MODES, type Mode } from '../domain/mode.js';

/** Routes of the product itself exist on both hosts, the same (spec: Versioning 3). */
export const BOTH_MODES: readonly Mode[] = MODES;

/** Test helpers do not exist on the live host. */
export const TEST_ONLY: readonly Mode[] = ['test'];
