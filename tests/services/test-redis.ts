import { serviceOfRun } from './service.js';

/**
 * The URL of a Redis for tests: the one of TEST_REDIS_URL, otherwise one that this run starts. Tests use separate prefixes and never flush
 * it; tests that break Redis start their own.
 */
export const testRedisUrl = async (): Promise<string> => process.env.TEST_REDIS_URL || serviceOfRun('redis');
