import { describe, it } from 'vitest';
import { DATABASE_FAULTS } from '../faults/database.js';
import { expectAlerts } from '../scene.js';

describe('alerts fire when', () => {
  it.each(DATABASE_FAULTS)('$title', { timeout: 480_000 }, expectAlerts);
});
