import { createHash } from 'node:crypto';
import {
  sandboxPools,
  sandboxProvider,
  memorySandboxLedger,
  type SandboxAudit,
  type SandboxLedger,
  type SandboxProvider,
} from '@gateramp/adapters-provider-sandbox';
import {
  memoryKycVault,
  memoryRateLimits,
  memoryStore,
  noRateLimits,
  type MemoryKycVault,
} from '@gateramp/adapters-store-memory';
import {
  createGate,
  type CreatedGateSession,
  type CreateGateSession,
  type Fired,
  type Gate,
  type GatePorts,
  type GateSession,
  type Mode,
  type Partner,
  type Policy,
} from '@gateramp/core';
import type { AdjustableClock, Deadlines, Store } from '@gateramp/core/ports';
import { manualClock, seededIds, systemDeadlines } from '@gateramp/core/runtime';
import { milliseconds, type Duration } from './duration.js';
import { stillScheduler } from './still-scheduler.js';
import { sendRequest, type TestRequest, type TestResponse } from './test-request.js';
import { testReceiver, type ReceivedWebhook, type TestReceiver } from './test-receiver.js';
import { testTelemetry, type TestTelemetry } from './test-telemetry.js';

/** What of the test gate is not as usual. */
export interface TestGateOptions {
  /** Changes to the test partner. */
  readonly partner?: Partial<Partner>;
  readonly policy?: Partial<Policy>;
  /** Ports to put in place of the memory ones. */
  readonly ports?: Partial<GatePorts>;
  /** Limits are off unless asked for, so that a test may send as much as it likes. */
  readonly rateLimits?: 'on' | 'off';
  readonly startAt?: number;
  readonly seed?: string;
}

/** A gate on memory adapters and a virtual clock, with a partner, keys and a webhook receiver. */
export interface TestGate {
  readonly gate: Gate;
  readonly store: Store;
  readonly partner: Partner;
  readonly keys: Readonly<Record<'secret' | 'publishable', Readonly<Record<Mode, string>>>>;
  readonly ledger: SandboxLedger & SandboxAudit;
  readonly vault: MemoryKycVault;
  readonly telemetry: TestTelemetry;
  readonly receiver: TestReceiver;
  readonly clock: TestClock;
  /** Sends one request through the HTTP contract. */
  request(method: string, path: string, request?: TestRequest): Promise<TestResponse>;
  /** An open session in test mode; what is not given is 100.00 EUR for the partner's own origin. Throws if refused. */
  createSession(body?: Partial<CreateGateSession>): Promise<CreatedGateSession>;
  retrieveSession(id: string): Promise<GateSession>;
  /** Bootstraps a session and answers the embed token. */
  embed(session: { readonly client_secret: string }): Promise<string>;
  /** A test buyer pays for the session, and the money settles. */
  settle(sessionId: string): Promise<void>;
  /** What the partner's receiver has got so far. */
  deliveries(): readonly ReceivedWebhook[];
  /** What the gate is made of. */
  readonly ports: GatePorts;
  /**
   * Another process on the same ports but for `changes`: what is stored, and the world outside, stay as
   * they are; what a process only remembers starts over. The former one is left to the test.
   */
  restart(changes?: Partial<GatePorts>): TestGate;
}

/** The virtual clock: it stands still until it is advanced. */
export interface TestClock extends AdjustableClock {
  /** Moves time on and runs everything that comes due, at the instant it comes due. */
  advance(duration: Duration): Promise<readonly Fired[]>;
}

/** 2030-01-01T00:00:00Z: far from any card's expiry and from today. */
const START = Date.UTC(2030, 0, 1);

/** The partner that every test gate has. */
export const TEST_PARTNER: Partner = {
  id: '65f0c0ffee65f0c0ffee0001',
  name: 'Acme',
  allowedOrigins: ['https://shop.example'],
  kycTrusted: true,
  liveEnabled: true,
  entitlements: ['swap', 'rails', 'pools'],
  completedSessionsQuota: null,
};

/** The keys of the test partner, by type and mode. */
export const TEST_KEYS: TestGate['keys'] = {
  secret: { test: 'sk_test_0000000000000000testsecret', live: 'sk_live_0000000000000000testsecret' },
  publishable: { test: 'pk_test_0000000000000000testpublic', live: 'pk_live_0000000000000000testpublic' },
};

/** What webhooks to the test partner are signed with. */
export const TEST_WEBHOOK_SECRET = 'whsec_0000000000000000000000testonly';

/** Where the test partner's webhooks go; nothing listens there but the test receiver. */
export const TEST_WEBHOOK_URL = 'https://shop.example/hooks';

/** Where the hosted checkout of each mode would be served from. */
export const TEST_WIDGET_ORIGINS = { test: 'https://sandbox-widget.example', live: 'https://widget.example' } as const;

/** Another process opens what this one has sealed. */
const MASTER_KEY = createHash('sha256').update('the master key of createTestGate').digest();

/** Everything is in memory and deterministic: the same seed and the same calls give the same ids. */
export async function createTestGate(options: TestGateOptions = {}): Promise<TestGate> {
  const clock = manualClock(options.startAt ?? START);
  const { receiver, sender } = testReceiver(TEST_WEBHOOK_SECRET, () => clock.wall());
  const ledger = memorySandboxLedger();
  const vault = memoryKycVault();
  const telemetry = testTelemetry();
  const ports: GatePorts = {
    store: memoryStore(),
    scheduler: stillScheduler(),
    limits: options.rateLimits === 'on' ? memoryRateLimits({ now: () => clock.wall() }) : noRateLimits(),
    providers: [sandboxProvider({ ledger })],
    pools: sandboxPools({ ledger }),
    vault,
    sender,
    telemetry,
    testClock: clock,
    masterKey: MASTER_KEY,
    ids: seededIds(options.seed ?? 'gateramp'),
    hosts: { test: { widgetOrigin: TEST_WIDGET_ORIGINS.test }, live: { widgetOrigin: TEST_WIDGET_ORIGINS.live } },
    ...options.ports,
  };
  const partner: Partner = { ...TEST_PARTNER, ...options.partner };
  const t = openGate({ options, partner, clock, receiver, ledger, vault, telemetry, processes: 1 }, ports);
  // Partners of the host's own are the test's to make.
  if (options.ports?.partners === undefined) await admit(t.gate, partner);
  return t;
}

/** Time jumps here and work is done when a test says so, so that nothing is overdue for want of a start. */
const NOBODY_WAITS: Partial<Policy> = { overdueAlarmAfter: Number.MAX_SAFE_INTEGER };

/** Everything around a process, which goes on when it ends. */
interface World extends Pick<TestGate, 'partner' | 'receiver' | 'ledger' | 'vault' | 'telemetry'> {
  readonly options: TestGateOptions;
  readonly clock: AdjustableClock;
  processes: number;
}

/** Who rests for others to catch up rests no time: time passes when a test says so. */
const RESTLESS: Deadlines = { ...systemDeadlines(), rest: async () => undefined };

function openGate(world: World, ports: GatePorts): TestGate {
  const { options, partner, clock, receiver, ledger, vault, telemetry } = world;
  const gate = createGate(
    { ...sandboxIn(ports), deadlines: RESTLESS, ...ports },
    { ...NOBODY_WAITS, ...options.policy },
  );
  const request: TestGate['request'] = (method, path, sent) => sendRequest(gate, method, path, sent);
  const caller = { partnerId: partner.id, mode: 'test' as const };
  return {
    gate,
    store: ports.store,
    partner,
    keys: TEST_KEYS,
    ledger,
    vault,
    telemetry,
    receiver,
    request,
    clock: {
      ...clock,
      advance: (duration) => advanceBy(gate, milliseconds(duration)),
    },
    createSession: async (body) => valueOf(await gate.sessions.create(caller, { ...DEFAULT_SESSION, ...body })),
    retrieveSession: async (id) => valueOf(await gate.sessions.retrieve(caller, id)),
    embed: async (session) => {
      const opened = await request('POST', '/v1/embed/bootstrap', {
        key: TEST_KEYS.publishable.test,
        headers: { origin: partner.allowedOrigins[0] ?? 'https://shop.example' },
        body: { clientSecret: session.client_secret },
      });
      return String(expectStatus(opened, 200).json['embed_token']);
    },
    settle: async (sessionId) => {
      const path = `/v1/test_helpers/gate_sessions/${sessionId}/simulate`;
      expectStatus(await request('POST', path, { key: TEST_KEYS.secret.test, body: { scenario: 'succeed' } }), 200);
    },
    deliveries: () => receiver.received,
    ports,
    restart: (changes) => {
      world.processes += 1;
      // Its chance is its own, or it would mint the ids of the process before it.
      const ids = seededIds(`${options.seed ?? 'gateramp'}/${world.processes}`);
      return openGate(world, { ...ports, ids, ...changes });
    },
  };
}

/** The test buyer pays on the books of whichever sandbox the test has put in, itself or around it. */
function sandboxIn({ providers }: GatePorts): Pick<GatePorts, 'sandbox'> {
  const sandbox = providers.find((provider): provider is SandboxProvider => 'control' in provider);
  return sandbox === undefined ? {} : { sandbox: sandbox.control };
}

/** One advance stops when it has taken its time, so that no request takes for ever; a test means all of it. */
async function advanceBy(gate: Gate, ms: number): Promise<readonly Fired[]> {
  const fired: Fired[] = [];
  const target = gate.clock.now('test') + ms;
  for (;;) {
    const before = gate.clock.now('test');
    const advanced = await gate.advanceTestClock(target - before);
    fired.push(...advanced.fired);
    const isStuck = !(advanced.now > before) && advanced.fired.length === 0;
    if (advanced.now >= target || isStuck) return fired;
  }
}

const DEFAULT_SESSION: CreateGateSession = {
  amount: '100.00',
  currency: 'EUR',
  return_url: 'https://shop.example/done',
};

/** Saves a partner with the test keys and, in both modes, the test receiver's endpoint. */
export async function admit(gate: Gate, partner: Partner): Promise<void> {
  await gate.admin.savePartner(partner);
  for (const mode of ['test', 'live'] as const) {
    await gate.admin.addKey(partner.id, TEST_KEYS.secret[mode]);
    await gate.admin.addKey(partner.id, TEST_KEYS.publishable[mode]);
    await gate.admin.setEndpoint(
      { partnerId: partner.id, mode },
      { url: TEST_WEBHOOK_URL, secret: TEST_WEBHOOK_SECRET },
    );
  }
}

function valueOf<Value>(
  result: { isOk(): boolean } & ({ value: Value } | { error: { code: string; message: string } }),
): Value {
  if ('value' in result) return result.value;
  throw new Error(`Refused: ${result.error.code}. ${result.error.message}`);
}

function expectStatus(response: TestResponse, status: number): TestResponse {
  if (response.status !== status) throw new Error(`Expected ${status}, got ${response.status}: ${response.text}`);
  return response;
}
