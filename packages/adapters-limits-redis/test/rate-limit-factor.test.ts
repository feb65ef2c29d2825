import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { testRedisUrl } from '../../../tests/services/test-redis.js';
import { startProcess } from './redis-on-trial.js';

const BODY = { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/done' };

it('a partner with a factor is counted per partner in Redis too, whatever address it calls from', async () => {
  const { limits, close } = await startProcess(await testRedisUrl());
  const t = await createTestGate({
    ports: { limits },
    partner: { rateLimitFactor: 2 },
    policy: { rateLimitFactor: 1.5 },
  });
  const windows: (readonly unknown[])[] = [];
  for (const clientIp of ['203.0.113.7', '198.51.100.9', '203.0.113.7']) {
    const { headers } = await t.request('POST', '/v1/gate_sessions', {
      key: t.keys.secret.test,
      idempotencyKey: `from-${windows.length}`,
      clientIp,
      body: BODY,
    });
    windows.push([headers['x-ratelimit-limit-short'], headers['x-ratelimit-remaining-short']]);
  }
  expect(windows).toEqual([
    ['30', '29'],
    ['30', '28'],
    ['30', '27'],
  ]);
  expect(limits.degraded()).toBe(false);
  close();
});
