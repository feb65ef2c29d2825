import { constructEvent } from './construct-event.js';
import { generateTestHeader } from './generate-test-header.js';
import { receive } from './receive/receive.js';

/** What needs no key of the API: the same as on `gate.webhooks`. */
export const webhooks = { constructEvent, generateTestHeader, receive } as const;
