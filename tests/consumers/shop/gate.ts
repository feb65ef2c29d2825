import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { createGate } from '@gateramp/core';

export const gate = createGate({
  store: memoryStore(),
  scheduler: inProcessScheduler(),
  limits: memoryRateLimits(),
  providers: [sandboxProvider()],
});

const acme = await gate.admin.createPartner({ name: 'Acme', allowedOrigins: ['https://shop.example'] });
export const secretKey = await gate.admin.issueKey(acme.id, { mode: 'test', type: 'secret' }); // `.text` is shown this once
export const publishableKey = await gate.admin.issueKey(acme.id, { mode: 'test', type: 'publishable' });
