import { describe, it } from 'vitest';
import { CHAIN_FAULTS } from '../faults/chain.js';
import { expectAlerts } from '../scene.js';

describe('alerts fire when', () => {
  it.each(CHAIN_FAULTS)('$title', { timeout: 240_000 }, expectAlerts);
});
