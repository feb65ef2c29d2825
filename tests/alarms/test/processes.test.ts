import { describe, it } from 'vitest';
import { PROCESS_FAULTS } from '../faults/processes.js';
import { expectAlerts } from '../scene.js';

describe('alerts fire when', () => {
  it.each(PROCESS_FAULTS)('$title', { timeout: 480_000 }, expectAlerts);
});
