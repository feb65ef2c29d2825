import { readConfig } from '../../apps/reference-server/src/config.js';
import { demoSeed, DEMO_KEYS, DEMO_WEBHOOK_SECRET } from '../../apps/reference-server/src/demo/demo-partner.js';
import { openLog } from '../../apps/reference-server/src/log.js';
import { startServer } from '../../apps/reference-server/src/server.js';
import { freePort } from '../services/ports.js';

const LIVE_KEY = 'sk_live_00000000000000000000guides';

const POOL = {
  id: 'pool_usdc_eur',
  asset: 'USDC',
  network: 'base',
  currency: 'EUR',
  spreadBps: 30,
  feeBps: 20,
  balances: { USDC: '10000', EUR: '10000' },
};

const NAMES = ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'OPS', 'CONSOLE', 'DEMO'];

export interface Served {
  /** What a page's blocks find in their environment. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The reference server in this process, in memory, for a partner who may do everything the guides speak of. */
export async function serve(): Promise<Served> {
  const webhookPort = await freePort();
  const ports = await Promise.all(NAMES.map(async (name) => [`GATE_${name}_PORT`, String(await freePort())] as const));
  const config = readConfig({ ...Object.fromEntries(ports), GATE_LOG: 'silent' }, { isTerminal: false });
  const [demo] = demoSeed('https://shop.example').partners;
  if (demo === undefined) throw new Error('There is no demo partner.');
  const partner = {
    ...demo,
    allowed_origins: ['https://shop.example'],
    live_enabled: true,
    test: { ...demo.test, webhook_url: `http://127.0.0.1:${webhookPort}/hooks` },
    live: { ...demo.live, secret_keys: [LIVE_KEY] },
    pools: [POOL],
  };
  const server = await startServer({ ...config, seed: { partners: [partner] } }, await openLog('silent'));
  const { sandbox, live, pools } = server.origins;
  if (sandbox === undefined || live === undefined || pools === undefined) throw new Error('A host is missing.');
  return {
    env: {
      GATE_URL: sandbox,
      GATE_LIVE_URL: live,
      GATE_POOLS_URL: pools,
      GATE_SECRET_KEY: DEMO_KEYS.secret,
      GATE_PUBLISHABLE_KEY: DEMO_KEYS.publishable,
      GATE_LIVE_KEY: LIVE_KEY,
      GATE_WEBHOOK_SECRET: DEMO_WEBHOOK_SECRET,
      WEBHOOK_PORT: String(webhookPort),
    },
    close: async () => void (await server.drain()),
  };
}
