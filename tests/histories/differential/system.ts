import { createHash } from 'node:crypto';
import {
  memorySandboxLedger,
  sandboxPools,
  sandboxProvider,
  type SandboxLedger,
} from '@gateramp/adapters-provider-sandbox';
import { memoryStore } from '@gateramp/adapters-store-memory';
import type { Mode } from '@gateramp/core';
import type { Crypto, KycVault, Store } from '@gateramp/core/ports';
import { nodeCrypto } from '@gateramp/core/runtime';
import { createTestGate, TEST_WEBHOOK_SECRET, type ReceivedWebhook, type TestGate } from '@gateramp/testing';
import type { MountedServer, OpenStore, SocketSubject } from '@gateramp/conformance';
import { over } from '../../../packages/conformance/test/faults/over.js';
import { answersOf } from './answering.js';
import { credentialsOf, EVERYBODY, hookOf, PARTNERS, POOLS, scopeOf, type Who } from './cast.js';
import type { Around, History } from './command.js';
import type { Answer, Exchange, KnownIntent } from './known.js';
import { WireClient } from './wire-client.js';

type Gate = TestGate['gate'];

/** A combination of a store and an HTTP adapter, which histories compare. */
export interface Kind {
  readonly name: string;
  readonly store: { create(): Promise<Place> };
  readonly http: SocketSubject;
}

/** The stores of a system. Absent ones are in memory. */
export interface Place extends OpenStore {
  readonly ledger?: SandboxLedger;
  readonly vault?: (crypto: Crypto) => KycVault;
  /** Moves all data. The members above then use the new place. */
  readonly move?: () => Promise<void>;
}

export const CALLBACK_SECRET = 'callback-secret-of-the-histories';

const MASTER_KEY = createHash('sha256').update('the master key of the histories').digest();

/** The pepper of all systems, so that their tokens and hashes are equal. */
const pepper = sealedPepper();

async function sealedPepper(): Promise<string> {
  const settings = memoryStore();
  await nodeCrypto({ masterKey: MASTER_KEY }).open(settings);
  const sealed = await settings.readSetting('pepper');
  if (sealed === null) throw new Error('The pepper is kept in the settings.');
  return sealed;
}

/**
 * A deterministic service on sockets, with both modes: ids come from a seed, the clock is virtual, and due work runs one by one in the
 * order of its due times.
 */
export class System {
  private constructor(
    readonly name: string,
    private t: TestGate,
    private readonly hosts: Readonly<Record<Mode | 'pools', WireClient>>,
    private readonly end: () => Promise<void>,
    private readonly now: { gate: Gate },
    private readonly moveAway: () => Promise<void>,
  ) {}

  static async open(kind: Kind, { isLimited, quota }: History): Promise<System> {
    const { store, close, ledger = memorySandboxLedger(), vault, move = async () => {} } = await kind.store.create();
    await store.swapSetting('pepper', null, await pepper);
    const crypto = nodeCrypto({ masterKey: MASTER_KEY });
    await crypto.open(store);
    const t = await createTestGate({
      rateLimits: isLimited ? 'on' : 'off',
      partner: { completedSessionsQuota: quota },
      ports: {
        store,
        masterKey: MASTER_KEY,
        providers: [sandboxProvider({ ledger, callbackSecret: CALLBACK_SECRET })],
        pools: sandboxPools({ ledger }),
        ...(vault === undefined ? {} : { vault: vault(crypto) }),
      },
    });
    await admitAll(t);
    const now = { gate: t.gate };
    const servedBy =
      (hostOf: (gate: Gate) => Pick<Gate, 'handle'>): Gate['handle'] =>
      (mode, request) =>
        hostOf(now.gate).handle(mode, request);
    const served: Gate = { ...t.gate, handle: servedBy((gate) => gate) };
    const { poolsHost } = t.gate;
    const pools = { ...poolsHost, handle: servedBy((gate) => gate.poolsHost) };
    const servers = {
      test: await kind.http.mount(served, 'test'),
      live: await kind.http.mount(served, 'live'),
      pools: await kind.http.mount(pools, 'live'),
    };
    const hosts = {
      test: new WireClient(servers.test.port),
      live: new WireClient(servers.live.port),
      pools: new WireClient(servers.pools.port),
    };
    const end = async (): Promise<void> => {
      for (const host of ['test', 'live', 'pools'] as const) await leave(servers[host], hosts[host]);
      await close();
    };
    return new System(kind.name, t, hosts, end, now, move);
  }

  ask(exchange: Exchange): Promise<Answer> {
    return this.hosts[exchange.product ?? exchange.mode].ask(exchange);
  }

  /** Applies an event other than a request. Returns the work that ran. */
  async undergo(around: Around, ends: readonly number[]): Promise<unknown> {
    switch (around.kind) {
      case 'pass':
        return this.pass(around.ms);
      case 'passTo': {
        const ahead = ends.map((end) => end + around.offset - this.t.clock.wall()).filter((ms) => ms >= 0);
        return this.pass(ahead[around.end % Math.max(1, ahead.length)] ?? 0);
      }
      case 'restart':
        this.restart();
        return null;
      case 'receiver': {
        const answers = answersOf(around.answering);
        this.t.receiver.answerWith(() => answers());
        return null;
      }
      case 'endpoint':
        await this.t.gate.admin.setEndpoint(scopeOf(around), {
          url: around.isSet ? hookOf(around) : null,
          secret: null,
        });
        return null;
      case 'revoke':
        await this.t.gate.admin.revokeKey(credentialsOf(around).spare);
        return null;
    }
  }

  /** Moves the data if the place supports that, and restarts the process. */
  async move(): Promise<null> {
    await this.moveAway();
    this.restart();
    return null;
  }

  private restart(): void {
    this.t = this.t.restart();
    this.now.gate = this.t.gate;
  }

  /** Advances the clock, and runs the work of both modes at its due times. */
  async pass(ms: number): Promise<unknown> {
    return stepped(this.t, this.t.store).clock.advance(ms);
  }

  get wall(): number {
    return this.t.clock.wall();
  }

  get webhooks(): readonly ReceivedWebhook[] {
    return this.t.receiver.received;
  }

  /** The alarms and the unexpected errors. */
  get telemetry(): Pick<TestGate['telemetry'], 'alarms' | 'failures'> {
    return this.t.telemetry;
  }

  async operationOf({ token, id }: KnownIntent): Promise<string> {
    return (await this.t.store.find('intent', scopeOf(token.who), id))?.operationId ?? 'none';
  }

  close(): Promise<void> {
    return this.end();
  }
}

/** Another process on the same ports, whose clock steps through the due work of both modes. */
export function stepped(t: TestGate, store: Store): TestGate {
  const nextDue: Store['nextDue'] = async () => {
    const [test, live] = [await store.nextDue('test'), await store.nextDue('live')];
    if (test === null || live === null) return test ?? live;
    return live.dueAt < test.dueAt ? live : test;
  };
  return t.restart({ store: over(store, { nextDue }) });
}

/** Creates the second partner, and the keys, endpoints and pools of both. */
export async function admitAll({ gate, clock }: TestGate): Promise<void> {
  await gate.admin.savePartner(PARTNERS[1]);
  for (const who of EVERYBODY) await admit(gate, who, clock.wall());
  for (const { owner, opening: amount, terms } of POOLS) {
    const { id } = PARTNERS[owner];
    await gate.admin.savePool(id, terms);
    for (const currency of [terms.asset, terms.currency])
      await gate.admin.movePoolBalance(id, { poolId: terms.id, currency, amount, reference: 'opening' });
  }
}

async function admit(gate: Gate, who: Who, now: number): Promise<void> {
  const { secret, publishable, spare, revoked, expiring } = credentialsOf(who);
  const { id } = PARTNERS[who.partner];
  for (const key of [secret, publishable, spare, revoked]) await gate.admin.addKey(id, key);
  await gate.admin.addKey(id, expiring, { expiresAt: now + 3_600_000 });
  await gate.admin.revokeKey(revoked);
  await gate.admin.setEndpoint(scopeOf(who), { url: hookOf(who), secret: TEST_WEBHOOK_SECRET });
}

async function leave(server: MountedServer, client: WireClient): Promise<void> {
  client.close();
  await server.close();
}
