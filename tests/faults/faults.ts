import { commitFaults } from './commit-faults.js';
import type { Fault } from './planted.js';
import { partitionFaults } from './partition-faults.js';
import { postgresFaults } from './postgres-faults.js';
import { readFaults } from './read-faults.js';
import { workFaults } from './work-faults.js';

/** Mistakes of one store, each tried once, and what tells whether the laws hold over it. */
export interface Suite {
  readonly store: string;
  /** Where the files of the faults are, beneath the root of the repository. */
  readonly folder: string;
  readonly judge: string;
  readonly faults: readonly Fault[];
}

export const suites: readonly Suite[] = [
  {
    store: 'memory',
    folder: 'packages/adapters-store-memory/src',
    judge: 'judge-memory.ts',
    faults: [...commitFaults, ...workFaults, ...readFaults],
  },
  {
    store: 'Postgres',
    folder: 'packages/adapters-store-postgres',
    judge: 'judge-postgres.ts',
    faults: [...postgresFaults, ...partitionFaults],
  },
];
