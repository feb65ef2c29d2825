import { describe, it } from 'vitest';
import { CHAIN_FAULTS } from '../faults/chain.js';
import { expectAlerts, FAULT, shareOf } from '../scene.js';

describe('alerts fire when', () => {
  it.each(shareOf(CHAIN_FAULTS, 1, 2))('$title', FAULT, expectAlerts);
});
