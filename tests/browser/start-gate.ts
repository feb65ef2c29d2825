import { onTestFinished } from 'vitest';

import { demoSeed, DEMO_KEYS, DEMO_WEBHOOK_SECRET } from '../../apps/reference-server/src/demo/demo-partner.js';
import type { Seed } from '../../apps/reference-server/src/config-seed-file.js';
import { readConfig } from '../../apps/reference-server/src/config.js';
import { openLog } from '../../apps/reference-server/src/log.js';
import { startServer, type Server } from '../../apps/reference-server/src/server.js';
import { freePort } from '../services/ports.js';

type Partner = Seed['partners'][number];

export interface GateOptions {
  /** The partner's allow-list: where its pages come from. */
  readonly shopOrigins: readonly string[];
  /** What else of the partner is to be different. */
  readonly partner?: Partial<Partner>;
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface RunningGate {
  readonly origins: Required<Server['origins']>;
  readonly keys: typeof DEMO_KEYS;
  readonly webhookSecret: string;
  /** Opens a session as the partner's server does; what is not given is a purchase of 100 EUR. */
  createSession(body?: Readonly<Record<string, unknown>>): Promise<CreatedSession>;
}

export interface CreatedSession {
  readonly id: string;
  readonly client_secret: string;
  readonly amount: string;
  readonly [field: string]: unknown;
}

const ANY_PORT = Object.fromEntries(
  ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'OPS'].map((name) => [`GATE_${name}_PORT`, '0']),
);

/** The reference server in this process, on ports of its own, in memory, with one partner, until the test ends. */
export async function startGate({ shopOrigins, partner = {}, settings = {} }: GateOptions): Promise<RunningGate> {
  const demoPort = await freePort();
  const config = readConfig(
    { ...ANY_PORT, GATE_DEMO_PORT: String(demoPort), GATE_LOG: 'silent', GATE_RATE_LIMITS: 'off', ...settings },
    { isTerminal: false },
  );
  const seed = demoSeed(`http://127.0.0.1:${demoPort}`);
  const partners = seed.partners.map((one) => ({ ...one, allowed_origins: [...shopOrigins], ...partner }));
  const server = await startServer({ ...config, seed: { ...seed, partners } }, await openLog('silent'));
  onTestFinished(async () => void (await server.drain()));
  const origins = allOf(server.origins);
  return {
    origins,
    keys: DEMO_KEYS,
    webhookSecret: DEMO_WEBHOOK_SECRET,
    createSession: (body = {}) => createSession(origins.sandbox, { return_url: `${shopOrigins[0]}/done`, ...body }),
  };
}

function allOf(origins: Server['origins']): Required<Server['origins']> {
  const { sandbox, live, sandboxWidget, widget, pools, demo, ops } = origins;
  if (!sandbox || !live || !sandboxWidget || !widget || !pools || !demo || !ops)
    throw new Error('The server has not opened all of its ports.');
  return { sandbox, live, sandboxWidget, widget, pools, demo, ops };
}

async function createSession(api: string, body: Readonly<Record<string, unknown>>): Promise<CreatedSession> {
  const response = await fetch(`${api}/v1/gate_sessions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${DEMO_KEYS.secret}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ amount: '100.00', currency: 'EUR', ...body }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`The session was refused: ${text}`);
  // The answer of our own server, whose shape its own tests hold.
  return JSON.parse(text) as CreatedSession;
}
