import { serviceOfRun } from './service.js';

/**
 * URL of a Redis to test with: the one TEST_REDIS_URL names, otherwise one that this run starts for itself. Tests in it keep apart by their
 * prefixes and never flush it; those that break Redis start one of their own.
 */
export const testRedisUrl = async (): Promise<string> => process.env.TEST_REDIS_URL || serviceOfRun('redis');
