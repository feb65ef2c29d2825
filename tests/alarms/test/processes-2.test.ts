import { describe, it } from 'vitest';
import { PROCESS_FAULTS } from '../faults/processes.js';
import { expectAlerts, FAULT, shareOf } from '../scene.js';

describe('alerts fire when', () => {
  it.each(shareOf(PROCESS_FAULTS, 2, 2))('$title', FAULT, expectAlerts);
});
