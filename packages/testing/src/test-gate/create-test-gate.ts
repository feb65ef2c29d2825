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
  type Gate,
  type GateWith,
  type GatePorts,
  type GateSession,
  type Mode,
  type Partner,
  type Policy,
} from '@gateramp/core';
import { type ApiDocument, apiDocument } from '@gateramp/extensions/api-document';
import { type ConsoleAccess, consoleAccess } from '@gateramp/extensions/console-access';
import { type Inspection, inspection } from '@gateramp/extensions/inspection';
import { type PoolProvider, type Pools, pools } from '@gateramp/extensions/pools';
import { sandbox, type SandboxControl, type SandboxFace, type Sandboxes } from '@gateramp/extensions/sandbox';
import type { Extension } from '@gateramp/core/extension';
import type { AdjustableClock, Deadlines, Store } from '@gateramp/core/ports';
import { manualClock, seededIds, systemDeadlines } from '@gateramp/core/runtime';
import { milliseconds, type Duration } from './duration.js';
import { stillScheduler } from './still-scheduler.js';
import { sendRequest, type TestRequest, type TestResponse } from './test-request.js';
import { testReceiver, type ReceivedWebhook, type TestReceiver } from './test-receiver.js';
import { testTelemetry, type TestTelemetry } from './test-telemetry.js';

/** The extensions of this repository that a test gate has by default. It always has `sandbox`. */
export type TestExtensions = readonly [Pools, ConsoleAccess, Inspection, ApiDocument];

/**
 * Ports for a test gate. Unless it has extensions of its own, `pools` is the provider of its pools, and `sandbox` drives the provider of
 * its test helpers: by default the first one with a `control`.
 */
export interface TestPorts extends Omit<GatePorts, 'extensions'> {
  readonly pools?: PoolProvider;
  readonly sandbox?: SandboxControl;
}

/** The ports and extensions of a test gate, as `createGate` takes them. */
export interface OpenPorts<Extensions extends readonly Extension[] = TestExtensions> extends GatePorts {
  readonly extensions: readonly [Sandboxes, ...Extensions];
}

/** Options of a test gate. All are optional. */
export interface TestGateOptions<Extensions extends readonly Extension[] = TestExtensions> {
  /** Changes to the test partner. */
  readonly partner?: Partial<Partner>;
  readonly policy?: Partial<Policy>;
  /** Ports that replace the memory ones. */
  readonly ports?: Partial<TestPorts>;
  /** In place of those of this repository, except `sandbox`. */
  readonly extensions?: Extensions;
  /** Off by default, so that tests may send any number of requests. */
  readonly rateLimits?: 'on' | 'off';
  readonly startAt?: number;
  readonly seed?: string;
}

/** A gate on memory adapters and a virtual clock, with a partner, keys and a webhook receiver. */
export interface TestGate<Extensions extends readonly Extension[] = TestExtensions> {
  readonly gate: GateWith<readonly [Sandboxes, ...Extensions]>;
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
  /** Opens a session in test mode. Default: 100.00 EUR for the partner's own origin. Throws if refused. */
  createSession(body?: Partial<CreateGateSession>): Promise<CreatedGateSession>;
  retrieveSession(id: string): Promise<GateSession>;
  /** Bootstraps a session and returns the embed token. */
  embed(session: { readonly client_secret: string }): Promise<string>;
  /** Simulates a test buyer who pays for the session, and settles the money. */
  settle(sessionId: string): Promise<void>;
  /** The webhooks that the partner's receiver has received so far. */
  deliveries(): readonly ReceivedWebhook[];
  /** The ports of the gate. */
  readonly ports: OpenPorts<Extensions>;
  /**
   * Starts another process on the same ports, except for `changes`: stored data and the outside world stay, and in-memory state starts
   * over. The test decides what happens to the former process.
   */
  restart(changes?: Partial<TestPorts>): TestGate<Extensions>;
}

/** What an advance of the clock ran, such as a task or a delivery. */
export type Fired = Awaited<ReturnType<SandboxFace['advanceTestClock']>>['fired'][number];

/** The virtual clock: it only moves when it is advanced. */
export interface TestClock extends AdjustableClock {
  /** Advances time and runs everything that becomes due, at the instant it becomes due. */
  advance(duration: Duration): Promise<readonly Fired[]>;
}

/** 2030-01-01T00:00:00Z: far from today and from the expiry of any card. */
const START = Date.UTC(2030, 0, 1);

/** The partner of every test gate. */
export const TEST_PARTNER: Partner = {
  id: '65f0c0ffee65f0c0ffee0001',
  name: 'Acme',
  allowedOrigins: ['https://shop.example'],
  kycTrusted: true,
  liveEnabled: true,
  savedPaymentMethods: true,
  entitlements: ['swap', 'rails', 'pools'],
  completedSessionsQuota: null,
};

/** The keys of the test partner, by type and mode. */
export const TEST_KEYS: TestGate['keys'] = {
  secret: { test: 'sk_test_0000000000000000testsecret', live: 'sk_live_0000000000000000testsecret' },
  publishable: { test: 'pk_test_0000000000000000testpublic', live: 'pk_live_0000000000000000testpublic' },
};

/** The signing secret of webhooks to the test partner. */
export const TEST_WEBHOOK_SECRET = 'whsec_0000000000000000000000testonly';

/** The URL of the test partner's webhooks; only the test receiver listens there. */
export const TEST_WEBHOOK_URL = 'https://shop.example/hooks';

/** The origin of the hosted checkout of each mode. */
export const TEST_WIDGET_ORIGINS = { test: 'https://sandbox-widget.example', live: 'https://widget.example' } as const;

/** Constant, so that a restarted process can open what the previous one has sealed. */
const MASTER_KEY = createHash('sha256').update('the master key of createTestGate').digest();

/**
 * Creates a gate entirely in memory, by default with the extensions of this repository. Deterministic: the same seed and the same calls
 * give the same ids.
 */
export async function createTestGate<const Extensions extends readonly Extension[] = TestExtensions>(
  options: TestGateOptions<Extensions> = {},
): Promise<TestGate<Extensions>> {
  const clock = manualClock(options.startAt ?? START);
  const { receiver, sender } = testReceiver(TEST_WEBHOOK_SECRET, () => clock.wall());
  const ledger = memorySandboxLedger();
  const vault = memoryKycVault();
  const telemetry = testTelemetry();
  const store = memoryStore();
  const ports: TestPorts = {
    store,
    operator: store,
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
  const world = { options, partner, clock, receiver, ledger, vault, telemetry, processes: 1 };
  const t = openGate(world, ports);
  // If the test brings its own partners, it creates them itself.
  if (options.ports?.partners === undefined) await admit(t.gate, partner);
  // Without extensions of the caller's own, they are the usual ones.
  return t as unknown as TestGate<Extensions>;
}

/**
 * Time jumps and work runs only when a test says so, so no alarm about overdue work applies. There is one virtual clock, which an advance
 * over HTTP moves too; a test about several sandboxes sets `testClock: 'partner'`.
 */
const TEST_POLICY: Partial<Policy> = { overdueAlarmAfter: Number.MAX_SAFE_INTEGER, testClock: 'mode' };

/** The surroundings of a process, which outlive it. */
interface World extends Pick<TestGate, 'partner' | 'receiver' | 'ledger' | 'vault' | 'telemetry'> {
  readonly options: Pick<TestGateOptions<readonly Extension[]>, 'policy' | 'seed' | 'extensions'>;
  readonly clock: AdjustableClock;
  processes: number;
}

/** Pauses take no time: time passes only when a test says so. */
const RESTLESS: Deadlines = { ...systemDeadlines(), rest: async () => undefined };

function openGate(world: World, given: TestPorts): TestGate<readonly Extension[]> {
  const { options, partner, clock, receiver, ledger, vault, telemetry } = world;
  const { pools: poolProvider, sandbox: control, ...others } = given;
  const usual = [pools(poolProvider), consoleAccess(), inspection(), apiDocument()];
  const helpers = sandbox(control ?? controlIn(given.providers));
  const ports: OpenPorts<readonly Extension[]> = {
    ...others,
    extensions: [helpers, ...(options.extensions ?? usual)],
  };
  const gate = createGate({ deadlines: RESTLESS, ...ports }, { ...TEST_POLICY, ...options.policy });
  const request: TestGate['request'] = (method, path, sent) => sendRequest(gate, method, path, sent, ports.hosts);
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
      // Uses a separate seed, or it would generate the ids of the previous process.
      const ids = seededIds(`${options.seed ?? 'gateramp'}/${world.processes}`);
      return openGate(world, { ...given, ids, ...changes });
    },
  };
}

/** The test buyer pays through the ledger of the sandbox provider among the ports, if there is one. */
function controlIn(providers: TestPorts['providers']): SandboxControl | undefined {
  return providers.find((provider): provider is SandboxProvider => 'control' in provider)?.control;
}

/** A single call stops after a time limit, so that no request takes forever; a test wants all of it. */
async function advanceBy(gate: Gate & SandboxFace, ms: number): Promise<readonly Fired[]> {
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

/** Saves a partner with the test keys and, in both modes, the endpoint of the test receiver. */
export async function admit(gate: Pick<Gate, 'admin'>, partner: Partner): Promise<void> {
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
