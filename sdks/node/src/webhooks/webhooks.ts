import { constructEvent } from './construct-event.js';
import { generateTestHeader } from './generate-test-header.js';
import { receive } from './receive/receive.js';

/** The functions that need no API key; `gate.webhooks` has them as well. */
export const webhooks = { constructEvent, generateTestHeader, receive } as const;
