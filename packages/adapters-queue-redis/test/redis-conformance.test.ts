import { describeLaws, schedulerLaws } from '@gateramp/conformance';
import { beforeAll, describe, expect, it } from 'vitest';
import { testRedisUrl } from '../../../tests/services/test-redis.js';
import { elapse, newProcess } from './redis-on-trial.js';

let url = '';

beforeAll(async () => {
  url = await testRedisUrl();
});

const subject = {
  async create() {
    const { scheduler, connection, errors, close } = newProcess(url);
    // Waits in real time, and then for a few turns of Redis and of this process, in case one of them was paused.
    const passed = async (ms: number): Promise<void> => {
      await elapse(ms);
      for (let turn = 0; turn < 3; turn += 1) {
        await connection.ping();
        await elapse(20);
      }
    };
    // Errors of `onDue` are expected; Redis itself must cause none.
    const complaints = (): unknown[] => errors.filter((error) => !String(error).includes('The store is down.'));
    return { scheduler, elapse: passed, close: async () => (await close(), expect(complaints()).toEqual([])) };
  },
};

// These laws need real time, so they run concurrently.
describeLaws(schedulerLaws, subject, { describe, it: it.concurrent });
