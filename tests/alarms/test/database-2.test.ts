import { describe, it } from 'vitest';
import { DATABASE_FAULTS } from '../faults/database.js';
import { expectAlerts, FAULT, shareOf } from '../scene.js';

describe('alerts fire when', () => {
  it.each(shareOf(DATABASE_FAULTS, 2, 3))('$title', FAULT, expectAlerts);
});
