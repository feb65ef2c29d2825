import { describe, it } from 'vitest';
import { LEGS_FAULTS } from '../faults/legs.js';
import { expectAlerts } from '../scene.js';

describe('alerts fire when', () => {
  it.each(LEGS_FAULTS)('$title', { timeout: 240_000 }, expectAlerts);
});
