import { commitFaults } from './commit-faults.js';
import type { Fault } from './planted.js';
import { readFaults } from './read-faults.js';
import { workFaults } from './work-faults.js';

/** Every mistake that is tried on the laws, each once. */
export const faults: readonly Fault[] = [...commitFaults, ...workFaults, ...readFaults];
