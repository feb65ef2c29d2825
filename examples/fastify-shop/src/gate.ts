import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { memoryRateLimits } from '@gateramp/adapters-store-memory';
import { migrate, pollingScheduler, postgresSandboxLedger, postgresStore } from '@gateramp/adapters-store-postgres';
import { createGate, type Gate } from '@gateramp/core';
import type { Scheduler } from '@gateramp/core/ports';
import { sandbox } from '@gateramp/extensions/sandbox';
import type pg from 'pg';

/** The shop's partner in the engine. */
export const SHOP = { partnerId: '65f0e0a0e0a0e0a0e0a00002', mode: 'test' } as const;

export interface GateSettings {
  readonly masterKey: Uint8Array;
  readonly shopUrl: string;
  /** The origin of the hosted checkout, separate from the shop's. */
  readonly checkoutUrl: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  /** An external partner that receives signed webhooks about payments. */
  readonly warehouse: { readonly url: string; readonly secret: string } | null;
}

/** Opens the engine in this process, with its tables next to the shop's own. Everything written here at each start is idempotent. */
export async function openGate(
  pool: pg.Pool,
  settings: GateSettings,
): Promise<{ readonly gate: Gate; readonly scheduler: Scheduler }> {
  await migrate(pool);
  const scheduler = pollingScheduler(pool);
  const provider = sandboxProvider({ ledger: postgresSandboxLedger(pool) });
  const gate = createGate({
    store: postgresStore(pool),
    scheduler,
    limits: memoryRateLimits(),
    providers: [provider],
    extensions: [sandbox(provider.control)],
    masterKey: settings.masterKey,
    hosts: { test: { widgetOrigin: settings.checkoutUrl } },
    allowPrivateWebhooks: true, // the warehouse of this example runs on the same machine
  });
  await gate.admin.savePartner({
    id: SHOP.partnerId,
    name: 'Mug shop',
    allowedOrigins: [settings.shopUrl],
    kycTrusted: false,
    liveEnabled: false,
    entitlements: [],
    completedSessionsQuota: null,
  });
  await gate.admin.addKey(SHOP.partnerId, settings.publishableKey);
  await gate.admin.addKey(SHOP.partnerId, settings.secretKey);
  if (settings.warehouse !== null) await gate.admin.setEndpoint(SHOP, settings.warehouse);
  return { gate, scheduler };
}
