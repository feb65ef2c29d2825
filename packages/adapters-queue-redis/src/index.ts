export { redisScheduler, type RedisSchedulerOptions } from './redis-scheduler.js';
