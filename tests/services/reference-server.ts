import { onTestFinished } from 'vitest';

import { ANY_PORT } from './any-port.js';
import { demoSeed, DEMO_KEYS } from '../../apps/reference-server/src/demo/demo-partner.js';
import type { Seed } from '../../apps/reference-server/src/seed/seed-file.js';
import { readConfig } from '../../apps/reference-server/src/config/config.js';
import { openLog } from '../../apps/reference-server/src/log.js';
import { startServer, type Server } from '../../apps/reference-server/src/server.js';
import { freePort } from './ports.js';

type Partner = Seed['partners'][number];

export interface ReferenceServerOptions {
  /** Members of the partner that differ from the demo shop's; `test` and `live` are replaced as a whole. */
  readonly partner?: Partial<Partner>;
  /** Additional settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface ReferenceServer {
  readonly origins: Required<Server['origins']>;
  /** A page of the partner, for `return_url`. */
  readonly returnUrl: string;
  /** Stops the server before the test ends. */
  stop(): Promise<void>;
}

/** A partner with keys for both modes, enabled for live mode, with all entitlements and one pool. */
export const TEST_PARTNER = {
  secretKey: DEMO_KEYS.secret,
  liveSecretKey: 'sk_live_gateramp_tests_secret_key',
  webhookSecret: 'whsec_gateramp_tests_webhook_secret',
  poolId: 'pool_usdc_eur',
} as const;

/** Starts the reference server in this process, on free ports and in memory by default, until the test ends. */
export async function startReferenceServer({
  partner = {},
  settings = {},
}: ReferenceServerOptions = {}): Promise<ReferenceServer> {
  const demoOrigin = `http://127.0.0.1:${settings['GATE_DEMO_PORT'] ?? (await freePort())}`;
  const config = readConfig(
    {
      ...ANY_PORT,
      GATE_DEMO: 'on',
      GATE_DEMO_PORT: new URL(demoOrigin).port,
      GATE_LOG: 'silent',
      GATE_RATE_LIMITS: 'off',
      ...settings,
    },
    { isTerminal: false },
  );
  const seed = { partners: demoSeed(demoOrigin).partners.map((demo) => ({ ...testPartner(demo), ...partner })) };
  const server = await startServer({ ...config, seed }, await openLog('silent'));
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= server.drain().then(() => undefined));
  onTestFinished(stop);
  // With the role `all`, every listener exists.
  return { origins: server.origins as Required<Server['origins']>, returnUrl: `${demoOrigin}/done`, stop };
}

function testPartner(demo: Partner): Partner {
  const { liveSecretKey, webhookSecret, poolId } = TEST_PARTNER;
  return {
    ...demo,
    live_enabled: true,
    test: { ...demo.test, webhook_url: null, webhook_secret: webhookSecret },
    live: { ...demo.live, secret_keys: [liveSecretKey] },
    pools: [
      {
        id: poolId,
        asset: 'USDC',
        network: 'base',
        currency: 'EUR',
        spreadBps: 30,
        feeBps: 20,
        balances: { USDC: '10000', EUR: '10000' },
      },
    ],
  };
}
