import { describeLaws, schedulerLaws } from '@gateramp/conformance';
import { beforeAll, describe, expect, it } from 'vitest';
import { testRedisUrl } from '../../../tests/services/test-redis.js';
import { elapse, newProcess } from './redis-on-trial.js';

let url = '';

beforeAll(async () => {
  url = await testRedisUrl();
}, 180_000);

const subject = {
  async create() {
    const { scheduler, errors, close } = newProcess(url);
    // Errors of `onDue` are expected; Redis itself must cause none.
    const complaints = (): unknown[] => errors.filter((error) => !String(error).includes('The store is down.'));
    return { scheduler, elapse, close: async () => (await close(), expect(complaints()).toEqual([])) };
  },
};

// These laws need real time, so they run concurrently.
describeLaws(schedulerLaws, subject, { describe, it: it.concurrent });
