import { describe, it } from 'vitest';
import { ENGINE_FAULTS } from '../faults/engine.js';
import { expectAlerts, FAULT } from '../scene.js';

describe('alerts fire when', () => {
  it.each(ENGINE_FAULTS)('$title', FAULT, expectAlerts);
});
