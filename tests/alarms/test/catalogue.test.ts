import { expect, it } from 'vitest';
import { ALARMS } from '../../../apps/reference-server/src/monitoring/alarms.js';
import { CHAIN_FAULTS } from '../faults/chain.js';
import { DATABASE_FAULTS } from '../faults/database.js';
import { ENGINE_FAULTS } from '../faults/engine.js';
import { LEGS_FAULTS } from '../faults/legs.js';
import { PROCESS_FAULTS } from '../faults/processes.js';

it('every alarm is fired by a real fault of a running server in a deep run', () => {
  const faults = [...CHAIN_FAULTS, ...DATABASE_FAULTS, ...ENGINE_FAULTS, ...LEGS_FAULTS, ...PROCESS_FAULTS];
  expect(faults.flatMap(({ alerts }) => alerts).toSorted()).toEqual(ALARMS.map(({ alert }) => alert).toSorted());
});
