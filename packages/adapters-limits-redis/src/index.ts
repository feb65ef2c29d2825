export { redisRateLimits, type RedisRateLimits, type RedisRateLimitsOptions } from './redis-rate-limits.js';
