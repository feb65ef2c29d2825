import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryRateLimits } from '@gateramp/adapters-store-memory';
import { postgresStore } from '@gateramp/adapters-store-postgres';
import { createGate } from '@gateramp/core';
import pg from 'pg';

export const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
pool.on('error', console.error); // without a listener, the loss of an idle connection ends the process

export const gate = createGate({
  store: postgresStore(pool), // `migrate(pool)` belongs in the deployment
  scheduler: inProcessScheduler(),
  limits: memoryRateLimits(),
  providers: [sandboxProvider()],
  masterKey: Buffer.from(process.env['GATE_MASTER_KEY'] ?? '', 'base64'),
});
