import { createHmac, randomBytes } from 'node:crypto';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { inProcessScheduler, memoryKycVault, memoryRateLimits, memoryStore, noRateLimits } from '@gateramp/adapters-store-memory';
import { createGate, type Gate } from '@gateramp/core';
import type { Store, WebhookSender } from '@gateramp/core/ports';
import { adjustableSystemClock, undiciWebhookSender } from '@gateramp/core/runtime';
import type { Config } from './config.js';
import { logTelemetry } from './log-telemetry.js';
import type { Log } from './log.js';
import { withRequestLog } from './request-log.js';

export interface Composition {
  readonly gate: Gate;
  readonly store: Store;
  /** Ours to close, after the last request and the last attempt. */
  readonly sender: WebhookSender;
}

/** The gate that a configuration describes, on embedded adapters. */
export async function compose(
  config: Config,
  widgetOrigins: { readonly test: string; readonly live: string },
  log: Log,
): Promise<Composition> {
  const store = memoryStore();
  const clock = adjustableSystemClock(store);
  await clock.open();
  const telemetry = logTelemetry(log);
  const sender = undiciWebhookSender({ allowPrivate: config.allowPrivateWebhooks });
  const gate = createGate({
    store,
    scheduler: inProcessScheduler({ onError: (error) => telemetry.failure(error, { place: 'scheduler' }) }),
    limits: config.rateLimits ? memoryRateLimits() : noRateLimits(),
    providers: [sandboxProvider({ callbackSecret: callbackSecret(config.masterKey) })],
    vault: memoryKycVault(),
    oldMasterKeys: config.oldMasterKeys,
    hosts: { test: { widgetOrigin: widgetOrigins.test }, live: { widgetOrigin: widgetOrigins.live } },
    telemetry,
    sender,
    ...(config.masterKey === null ? {} : { masterKey: config.masterKey }),
    ...(config.testClock ? { testClock: clock } : { clock }),
  });
  return { gate: withRequestLog(gate, log), store, sender };
}

/** Derived, so that processes with one master key know each other's quotes; without a key it lives as long as the store. */
function callbackSecret(masterKey: Uint8Array | null): string {
  return createHmac('sha256', masterKey ?? randomBytes(32)).update('sandbox-provider-callbacks').digest('hex');
}
