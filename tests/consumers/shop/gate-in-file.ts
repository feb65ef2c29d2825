import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryRateLimits } from '@gateramp/adapters-store-memory';
import { sqliteStore } from '@gateramp/adapters-store-sqlite';
import { createGate } from '@gateramp/core';

export const gate = createGate({
  store: sqliteStore('./gate.db'), // created and migrated at first use
  scheduler: inProcessScheduler(),
  limits: memoryRateLimits(),
  providers: [sandboxProvider()],
  masterKey: Buffer.from(process.env['GATE_MASTER_KEY'] ?? '', 'base64'), // openssl rand -base64 32, once
});
