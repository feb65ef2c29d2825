import { describe, it } from 'vitest';
import { ENGINE_FAULTS } from '../faults/engine.js';
import { expectAlerts } from '../scene.js';

describe('alerts fire when', () => {
  it.each(ENGINE_FAULTS)('$title', { timeout: 180_000 }, expectAlerts);
});
