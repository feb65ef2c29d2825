import { citusFaults } from './citus-faults.js';
import { commitFaults } from './commit-faults.js';
import type { Fault } from './planted.js';
import { partitionFaults } from './partition-faults.js';
import { positionFaults } from './position-faults.js';
import { postgresFaults } from './postgres-faults.js';
import { readFaults } from './read-faults.js';
import { workFaults } from './work-faults.js';

/** Mistakes in one store, each planted once, and the program that runs the laws on it. */
export interface Suite {
  readonly store: string;
  /** The folder of the files with faults, relative to the root of the repository. */
  readonly folder: string;
  readonly judge: string;
  readonly faultsMin: number;
  readonly faults: readonly Fault[];
}

export const suites: readonly Suite[] = [
  {
    store: 'memory',
    folder: 'packages/adapters-store-memory/src',
    judge: 'judge-memory.ts',
    faultsMin: 75,
    faults: [...commitFaults, ...workFaults, ...readFaults],
  },
  {
    store: 'Postgres',
    folder: 'packages/adapters-store-postgres',
    judge: 'judge-postgres.ts',
    faultsMin: 75,
    faults: [...postgresFaults, ...partitionFaults],
  },
  {
    store: 'Postgres, from a position',
    folder: 'packages/adapters-store-postgres',
    judge: 'judge-positions.ts',
    faultsMin: 20,
    faults: positionFaults,
  },
  {
    store: 'Citus',
    folder: 'packages/adapters-store-citus',
    judge: 'judge-citus.ts',
    faultsMin: 10,
    faults: citusFaults,
  },
];
