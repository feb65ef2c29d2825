import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { createGate, type Partner } from '@gateramp/core';

export const gate = createGate({
  store: memoryStore(),
  scheduler: inProcessScheduler(),
  limits: memoryRateLimits(),
  providers: [sandboxProvider()],
});

const acme: Partner = {
  id: '65f0c0ffee65f0c0ffee0001',
  name: 'Acme',
  allowedOrigins: ['https://shop.example'],
  kycTrusted: false,
  liveEnabled: false,
  entitlements: [],
  completedSessionsQuota: null,
  branding: null,
};
await gate.admin.savePartner(acme);
await gate.admin.addKey(acme.id, 'sk_test_choose_something_long_and_random');
await gate.admin.addKey(acme.id, 'pk_test_choose_something_for_the_browser');
