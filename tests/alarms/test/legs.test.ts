import { describe, it } from 'vitest';
import { LEGS_FAULTS } from '../faults/legs.js';
import { expectAlerts, FAULT } from '../scene.js';

describe('alerts fire when', () => {
  it.each(LEGS_FAULTS)('$title', FAULT, expectAlerts);
});
