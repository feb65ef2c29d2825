import { applySeed } from './apply-seed.js';
import { compose } from './compose.js';
import type { Config } from './config.js';
import { demoListener } from './demo/demo-listener.js';
import { DEMO_KEYS, demoSeed, webhookSecretsOf } from './demo/demo-partner.js';
import { demoShop } from './demo/demo-shop.js';
import { ReceivedWebhooks } from './demo/received-webhooks.js';
import { bindListeners, type Listeners } from './http/bind-listeners.js';
import { gateListener } from './http/gate-listener.js';
import { opsListener, poolsListener, widgetListener } from './http/small-listeners.js';
import type { Log } from './log.js';

export interface Server {
  readonly origins: Listeners['origins'];
  /** Takes no more requests and ends when the running ones and the running attempts have, or after twelve seconds. */
  drain(): Promise<'drained' | 'cut_short'>;
}

export const DRAIN_MAX_MS = 12_000;

/** Ports first, since the gate must know its origins; then the gate, its partners, and what answers on each port. */
export async function startServer(config: Config, log: Log): Promise<Server> {
  const { servers, origins } = await bindListeners(config);
  try {
    const widgetOrigins = { test: origins.sandboxWidget, live: origins.widget };
    const { gate, store, sender } = await compose(config, widgetOrigins, log);
    const seed = config.seed ?? demoSeed(origins.demo);
    await applySeed(gate, store, seed);

    servers.sandboxWidget.serve(widgetListener);
    servers.widget.serve(widgetListener);
    servers.pools.serve(poolsListener);
    servers.ops.serve(opsListener);
    servers.demo.serve(
      await demoListener({
        received: new ReceivedWebhooks(webhookSecretsOf(seed)),
        shop: config.seed === null ? demoShop(origins.sandbox, DEMO_KEYS.secret, origins.demo) : null,
        log,
      }),
    );
    const onWarning = (message: string): void => log.warn(message);
    servers.sandbox.serve(await gateListener(config.http, { gate, mode: 'test', onWarning }));
    servers.live.serve(await gateListener(config.http, { gate, mode: 'live', onWarning }));
    if (config.role === 'all') await gate.start();

    return {
      origins,
      drain: () =>
        atMost(DRAIN_MAX_MS, async () => {
          const { demo, ...others } = servers;
          // Running attempts may be on their way to the demo shop, so it goes last.
          await Promise.all([gate.stop(DRAIN_MAX_MS), ...Object.values(others).map((server) => server.drain())]);
          await Promise.all([demo.drain(), sender.close()]);
        }),
    };
  } catch (error) {
    for (const server of Object.values(servers)) server.cut();
    throw error;
  }
}

async function atMost(limitMs: number, work: () => Promise<void>): Promise<'drained' | 'cut_short'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'cut_short'>((resolve) => {
    timer = setTimeout(() => resolve('cut_short'), limitMs);
  });
  const done = work().then(() => 'drained' as const);
  const outcome = await Promise.race([done, late]);
  clearTimeout(timer);
  return outcome;
}
