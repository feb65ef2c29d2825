import { createTestGate, TEST_KEYS } from '@gateramp/testing';

export { createTestGate, TEST_KEYS };
