import { expect, onTestFinished } from 'vitest';

import { advanceClock } from '../services/advance-clock.js';
import { ANY_PORT } from '../services/any-port.js';
import { demoSeed, DEMO_KEYS, DEMO_WEBHOOK_SECRET } from '../../apps/reference-server/src/demo/demo-partner.js';
import type { Seed } from '../../apps/reference-server/src/seed/seed-file.js';
import { readConfig } from '../../apps/reference-server/src/config/config.js';
import { openLog } from '../../apps/reference-server/src/log.js';
import { startServer, type Server } from '../../apps/reference-server/src/server.js';
import { freePort } from '../services/ports.js';

type Partner = Seed['partners'][number];

export interface GateOptions {
  /** The partner's allowed origins. */
  readonly shopOrigins: readonly string[];
  /** Other overrides of the partner. */
  readonly partner?: Partial<Partner>;
  /** Additional server settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface RunningGate {
  readonly origins: Required<Server['origins']>;
  readonly keys: typeof DEMO_KEYS;
  readonly webhookSecret: string;
  /** Creates a session as the partner's server. Defaults to an amount of 100 EUR. */
  createSession(body?: Readonly<Record<string, unknown>>): Promise<CreatedSession>;
  cancelSession(id: string): Promise<void>;
  /** Updates the branding of the partner's checkout. */
  brand(branding: Readonly<Record<string, string>>): Promise<void>;
  /** Waits until the session is processing and advances the test clock until the sandbox has settled it. */
  settle(sessionId: string): Promise<void>;
  /** Simulates a successful payment of the session. */
  payFor(id: string): Promise<void>;
  /** A new link by which an operator enters the console; null with a database. */
  operatorLink(): Promise<string | null>;
  /** The types of the verified webhooks that the partner received for a session, ordered by sequence. */
  webhooksOf(sessionId: string): Promise<readonly string[]>;
}

export interface CreatedSession {
  readonly id: string;
  readonly client_secret: string;
  readonly amount: string;
  readonly [field: string]: unknown;
}

/** Only ends what hangs. */
const OPS_TIMEOUT_MS = 60_000;

/** The sandbox settles every payment within this time. */
const SETTLED_AFTER_SECONDS = 60;

/** Starts the reference server in this process on free ports, with an in-memory store and one partner, until the test ends. */
export async function startGate({ shopOrigins, partner = {}, settings = {} }: GateOptions): Promise<RunningGate> {
  const demoPort = await freePort();
  const config = readConfig(
    { ...ANY_PORT, GATE_DEMO_PORT: String(demoPort), GATE_LOG: 'silent', GATE_RATE_LIMITS: 'off', ...settings },
    { isTerminal: false },
  );
  const seed = demoSeed(`http://127.0.0.1:${demoPort}`);
  const partners = seed.partners.map((one) => ({ ...one, allowed_origins: [...shopOrigins], ...partner }));
  // The console answers 503 to reads that take longer, which a page complains of.
  const database = config.database && { ...config.database, opsTimeoutMs: OPS_TIMEOUT_MS };
  const server = await startServer({ ...config, database, seed: { ...seed, partners } }, await openLog('silent'));
  onTestFinished(async () => void (await server.drain()));
  const origins = allOf(server.origins);
  return {
    origins,
    keys: DEMO_KEYS,
    webhookSecret: DEMO_WEBHOOK_SECRET,
    createSession: async (body = {}) => {
      const terms = { amount: '100.00', currency: 'EUR', return_url: `${shopOrigins[0]}/done`, ...body };
      // The shape of the response is covered by the server's own tests.
      return (await asServer(`${origins.sandbox}/v1/gate_sessions`, terms)) as CreatedSession;
    },
    operatorLink: () => server.operatorLink(),
    webhooksOf: (sessionId) => webhooksOf(origins.demo, sessionId),
    settle: async (sessionId) => {
      await expect.poll(() => webhooksOf(origins.demo, sessionId)).toContain('gate_session.processing');
      await advanceClock(origins.sandbox, DEMO_KEYS.secret, SETTLED_AFTER_SECONDS);
      await expect.poll(() => webhooksOf(origins.demo, sessionId)).toContain('gate_session.completed');
    },
    payFor: async (id) => {
      const helpers = `${origins.sandbox}/v1/test_helpers/gate_sessions`;
      await asServer(`${helpers}/${id}/simulate`, { scenario: 'succeed' });
    },
    cancelSession: async (id) => void (await asServer(`${origins.sandbox}/v1/gate_sessions/${id}/cancel`)),
    brand: async (branding) => void (await asServer(`${origins.sandbox}/v1/branding`, branding)),
  };
}

function allOf(origins: Server['origins']): Required<Server['origins']> {
  const { sandbox, live, sandboxWidget, widget, pools, demo, ops, console } = origins;
  if (!sandbox || !live || !sandboxWidget || !widget || !pools || !demo || !ops || !console)
    throw new Error('The server has not opened all of its ports.');
  return { sandbox, live, sandboxWidget, widget, pools, demo, ops, console };
}

/** Makes a call with the partner's secret key, which must succeed. */
async function asServer(url: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${DEMO_KEYS.secret}`, 'idempotency-key': crypto.randomUUID() };
  const init = body && { body: JSON.stringify(body) };
  const typed = body && { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...typed }, ...init });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

interface Hook {
  readonly type: string;
  readonly session_id: string;
  readonly sequence: number;
  readonly verified: boolean;
}

async function webhooksOf(receiver: string, sessionId: string): Promise<readonly string[]> {
  const response = await fetch(`${receiver}/hooks`);
  // The shape of the receiver's response is covered by its own tests.
  const { data } = (await response.json()) as { readonly data: readonly Hook[] };
  return data
    .filter(({ session_id, verified }) => session_id === sessionId && verified)
    .sort((one, other) => one.sequence - other.sequence)
    .map(({ type }) => type);
}
