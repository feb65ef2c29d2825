import { constructEvent } from './construct-event.js';
import { generateTestHeader } from './generate-test-header.js';

/** What needs no key of the API: the same as on `gate.webhooks`. */
export const webhooks = { constructEvent, generateTestHeader } as const;
