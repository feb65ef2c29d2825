import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { evmChain } from '@gateramp/adapters-chain-evm';
import { postgresLegsStore } from '@gateramp/adapters-store-postgres';
import { openSqlite, sqliteLegsStore } from '@gateramp/adapters-store-sqlite';
import { decimal, type Intent } from '@gateramp/core/domain';
import type { StartOrder } from '@gateramp/core/ports';
import {
  listOperations,
  reconcileLedger,
  resolveOperation,
  type LegsStore,
  type Operation,
} from '@gateramp/provider-legs';
import pg from 'pg';
import { http, type Hex } from 'viem';
import { HDKey, privateKeyToAccount } from 'viem/accounts';
import { MASTER_KEY } from '../../../apps/reference-server/test/master-keys.js';
import { migratedDatabase, runGate } from '../../../apps/reference-server/test/run-gate.js';
import { buy, swap } from '../../../packages/provider-legs/test/world.js';
import { paidBy } from '../../../packages/adapters-fiat-stripe/test/world.js';
import { chance, seedOf, type Chance } from '../../chaos/lib/chance.js';
import { sourceBundle } from '../../chaos/lib/server-bundle.js';
import { scratchFolder } from '../../services/scratch-folder.js';
import { Outside } from './outside.js';
import type { AskedDeposit, FromProcess, Open, StorePlace, Tick } from './protocol.js';
import { NETWORK, WALLET_LIMITS } from './terms.js';

/** The number of killed processes, the seed, and the kind of store. */
export interface EdgeOptions {
  readonly kills: number;
  readonly seed: number;
  readonly store: 'sqlite' | 'postgres';
}

/** What is left when the world behaves again and everything has come to rest. */
export interface EdgeAftermath {
  readonly operations: readonly Operation[];
  /** Operations that an operator had to resolve. */
  readonly resolved: readonly string[];
  /** Stuck operations, of which no process raised the alarm. */
  readonly unnoticed: readonly string[];
  /** What is owed to buyers, by currency. */
  readonly owed: readonly string[];
  /** The ledger less the chain and the processor, by currency. */
  readonly differences: Readonly<Record<string, string>>;
  /** The same, compared with what the node and Stripe answer now. */
  readonly outside: Readonly<Record<string, readonly [ledger: string, world: string]>>;
  /** Operations with another number of transfers to the buyer than the ledger has. */
  readonly misdelivered: readonly string[];
  /** Operations of which Stripe has another amount than the ledger. */
  readonly mispaid: readonly string[];
  readonly alarms: Readonly<Record<string, number>>;
  readonly events: Readonly<Record<string, number>>;
}

/** Shortly before midnight in UTC, when daily limits begin again. */
const START = Date.UTC(2027, 0, 1, 23, 55);
/** Longer than every lease, so that each process takes over the work of the one before. */
const BETWEEN_LIVES_MS = 61_000;
const FUNDS = { coins: '100', tokens: '100000' } as const;
const QUIET_TICKS_MAX = 600;
/** Longer than the interval at which ended operations are checked for late deposits, which is ten minutes. */
const QUIET_TICKS = 25;

/** Runs a platform whose chain, RPCs, processor, token and backups misbehave, and whose process is killed again and again. */
export async function runEdges({ kills, seed, store: kind }: EdgeOptions): Promise<EdgeAftermath> {
  const run = await EdgeRun.start(kind, seed);
  try {
    for (let life = 0; life < kills; life += 1) await run.live();
    await run.settle();
    return await run.aftermath();
  } finally {
    await run.stop();
  }
}

class EdgeRun {
  #now = START;
  #orders = 0;
  #child: Promise<ChildProcess>;
  #backup: { readonly folder: string; livesLeft: number } | null = null;
  #resumes = false;
  readonly #fate: Chance;
  readonly #alarms: Record<string, number> = {};
  readonly #stuck = new Set<string>();
  /** Operations that got stuck when their process was killed, perhaps before it could raise the alarm. The gauge shows them. */
  readonly #dyingStuck = new Set<string>();
  readonly #events: Record<string, number> = {};
  readonly #asked = new Map<string, AskedDeposit>();
  readonly #resolved: string[] = [];
  readonly #unnoticed: string[] = [];

  private constructor(
    private readonly outside: Outside,
    private readonly place: StorePlace,
    private readonly bundle: string,
    private readonly keys: { readonly wallet: Hex; readonly xpub: string },
    private readonly close: () => Promise<void>,
    seed: number,
  ) {
    this.#fate = chance(seedOf(seed, 'edges'));
    this.#child = spare(bundle);
  }

  static async start(kind: EdgeOptions['store'], seed: number): Promise<EdgeRun> {
    const outside = await Outside.start(START);
    const bundle = await sourceBundle('tests/legs/edges/edge-process.ts', 'edge-process');
    const { place, close } = await placeOf(kind);
    const wallet: Hex = `0x${(seed + 1).toString(16).padStart(64, '5')}`;
    const xpub = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/60'/0'").publicExtendedKey;
    const run = new EdgeRun(outside, place, bundle, { wallet, xpub }, close, seed);
    await outside.fund(run.wallet, FUNDS);
    await outside.mine(START, 20);
    return run;
  }

  get wallet(): Hex {
    return privateKeyToAccount(this.keys.wallet).address;
  }

  /** One process, until it is killed in the middle of a tick. */
  async live(): Promise<void> {
    this.#takeOrRestoreBackup();
    const child = await this.#open();
    const ticks = this.#fate.between(2, 9);
    for (let tick = 0; tick < ticks; tick += 1) {
      await this.#misbehave();
      await this.#tick(child, { orders: this.#newOrders() });
    }
    await this.#misbehave();
    void this.#tick(child, { orders: this.#newOrders() }).catch(() => undefined);
    setTimeout(() => child.kill('SIGKILL'), this.#fate.next() * 120);
    await once(child, 'exit');
    for (const { operationId } of await this.#withStore(stuck)) this.#dyingStuck.add(operationId);
    this.#now += BETWEEN_LIVES_MS;
    await this.outside.mine(this.#now);
  }

  /** Ends all misbehaviour, and works until everything has ended. Operators decide about what is stuck. */
  async settle(): Promise<void> {
    const { outside } = this;
    outside.isHalted = false;
    for (const { mood } of [outside.rpc, outside.otherRpc])
      Object.assign(mood, { isSilent: false, lag: 0, logsMax: 0 });
    await outside.call('pause', false);
    await outside.call('charge', 0, false);
    this.#backup = null;
    this.#resumes = true;
    const child = await this.#open();
    do await this.#work(child);
    while (await this.#resolveStuck());
    for (let tick = 0; tick < 12; tick += 1) {
      await outside.mine(this.#now, 3);
      await this.#tick(child, { stepMs: 61_000 });
    }
    child.kill('SIGKILL');
  }

  /** Runs ticks until nothing is left to do without an operator. Buyers who have not paid leave. */
  async #work(child: ChildProcess): Promise<void> {
    for (let tick = 0, quiet = 0; quiet < QUIET_TICKS; tick += 1) {
      const waiting = await this.#withStore(unfinished);
      if (tick === QUIET_TICKS_MAX) throw new Error(`Operations do not end: ${JSON.stringify(waiting)}`);
      const cancel = waiting.filter(({ state }) => state.kind === 'awaiting').map(({ operationId }) => operationId);
      await this.outside.mine(this.#now, 3);
      await this.#tick(child, { cancel, stepMs: 30_000 });
      quiet = waiting.length === 0 ? quiet + 1 : 0;
    }
  }

  /** Resolves what is stuck with `gate operations resolve`. False when nothing is. */
  async #resolveStuck(): Promise<boolean> {
    const found = await this.#withStore(stuck);
    for (const { operationId, state } of found) {
      const reason = state.kind === 'stuck' ? state.reason : '';
      this.#resolved.push(`${operationId}: ${reason}`);
      if (!this.#stuck.has(operationId) && !this.#dyingStuck.has(operationId)) this.#unnoticed.push(operationId);
      const as = reason === 'delivered_in_part' ? this.#fate.pick(['delivered', 'failed'] as const) : 'failed';
      await this.#resolve(operationId, as);
    }
    return found.length > 0;
  }

  async #resolve(operationId: string, as: 'delivered' | 'failed'): Promise<void> {
    if (this.place.kind === 'postgres') {
      const settings = { DATABASE_URL: this.place.url, GATE_MASTER_KEY: MASTER_KEY };
      const ran = await runGate(`operations resolve ${operationId} --as ${as} --reason Decided --yes`, settings);
      if (ran.code !== 0) throw new Error(ran.err);
      return;
    }
    // The file of a run belongs to no installation, which the command needs.
    const order = { operationId, as, reason: 'Decided', now: this.#now };
    const done = await this.#withStore((store) => resolveOperation(store, order));
    if (done.kind !== 'resolved') throw new Error(`${operationId} cannot be resolved: ${done.kind}.`);
  }

  async aftermath(): Promise<EdgeAftermath> {
    return this.#withStore(async (store) => {
      const operations = await all(store);
      const balances = await store.balances(null);
      const ledger = (account: string, currency: string) =>
        decimal.normalise(balances.find((one) => one.account === account && one.currency === currency)?.amount ?? '0');
      const { positions } = await reconcileLedger(store, await this.#chainOn(store).positions());
      return {
        operations,
        resolved: this.#resolved,
        unnoticed: this.#unnoticed,
        owed: balances
          .filter(({ account }) => account === 'customer')
          .map(({ currency, amount }) => `${amount} ${currency}`),
        differences: Object.fromEntries(positions.map(({ currency, difference }) => [currency, difference])),
        outside: {
          EUR: [ledger('fiat', 'EUR'), this.outside.stripeBalance()],
          'USDC@base': [ledger('chain:base', 'USDC@base'), await this.#tokens()],
          'ETH@base': [ledger('chain:base', 'ETH@base'), await this.outside.coinsOf(this.wallet)],
        },
        misdelivered: await this.#misdelivered(store, operations),
        mispaid: await this.#mispaid(store, operations),
        alarms: this.#alarms,
        events: this.#events,
      };
    });
  }

  async stop(): Promise<void> {
    (await this.#child).kill('SIGKILL');
    await this.outside.stop();
    await this.close();
  }

  /** Between a backup and its restore no payment begins: what began there would be lost, which no store can mend. */
  #newOrders(): readonly StartOrder[] {
    if (this.#backup !== null) return [];
    return Array.from({ length: this.#fate.between(0, 2) }, () => orderOf((this.#orders += 1), this.#now, this.#fate));
  }

  async #misbehave(): Promise<void> {
    const { outside } = this;
    const fate = this.#fate;
    const maybe = async (share: number, name: string, act: () => Promise<unknown> | void) => {
      if (!fate.isHit(share)) return;
      this.#events[name] = (this.#events[name] ?? 0) + 1;
      await act();
    };
    const { mood } = fate.pick([outside.rpc, outside.otherRpc]);
    await maybe(
      0.05,
      outside.isHalted ? 'chain resumed' : 'chain halted',
      () => void (outside.isHalted = !outside.isHalted),
    );
    await maybe(0.05, 'reorganization', () => outside.reorganize());
    await maybe(0.05, 'silent RPC', () => void (mood.isSilent = true));
    await maybe(0.1, 'lagging RPC', () => void (mood.lag = fate.between(1, 3)));
    await maybe(0.05, 'limited logs', () => void (mood.logsMax = fate.between(1, 10)));
    await maybe(0.3, 'RPC recovers', () => void Object.assign(mood, { isSilent: false, lag: 0 }));
    await maybe(0.05, 'refund in the dashboard', () =>
      byHand(outside, fate, 'succeeded', (id) => outside.stripe.books.refundByHand(id)),
    );
    await maybe(0.03, 'partial refund in the dashboard', () =>
      byHand(outside, fate, 'succeeded', (id) => outside.stripe.books.refundByHand(id, 2_500)),
    );
    await maybe(0.03, 'dispute', () =>
      byHand(outside, fate, 'succeeded', (id) =>
        outside.stripe.books.dispute(id, 'needs_response', { dispute: `du_${id}` }),
      ),
    );
    await maybe(0.03, 'cancellation in the dashboard', () =>
      byHand(outside, fate, 'requires_capture', (id) => outside.stripe.books.cancel(id)),
    );
    await maybe(0.03, 'payout to the bank', () =>
      outside.stripe.books.book({ type: 'payout', amount: -1_000, currency: 'eur', source: 'po_1' }),
    );
    await maybe(0.03, 'token paused', () => outside.call('pause', true));
    await maybe(0.15, 'token resumed', () => outside.call('pause', false));
    await maybe(0.03, 'transfer fee begins', () => outside.call('charge', 100, false));
    await maybe(0.2, 'transfer fee ends', async () => {
      await outside.call('charge', 0, false);
      this.#resumes = true;
    });
    await maybe(0.05, 'top-up', () => outside.fund(this.wallet, { coins: '0.1', tokens: '50' }));
    for (const [operationId, asked] of this.#asked) {
      await maybe(0.5, 'deposit', async () => {
        this.#asked.delete(operationId);
        await outside.payDeposit(asked.address, asked.amount);
      });
      await maybe(0.1, 'worthless transfer', () => outside.call('transfer', asked.address, 0n));
      await maybe(0.1, 'dust', () => outside.payDeposit(asked.address, '0.000001'));
    }
  }

  async #tick(child: ChildProcess, given: Partial<Tick> & { readonly stepMs?: number }): Promise<void> {
    const { stepMs = this.#fate.between(1, 5) * 1_000, ...rest } = given;
    this.#now += stepMs;
    await this.outside.mine(this.#now, this.#fate.between(0, 2));
    const callbacks = this.outside.webhooks(this.#fate, 0.2);
    const tick: Tick = {
      kind: 'tick',
      now: this.#now,
      orders: [],
      callbacks,
      cancel: [],
      resumesWallet: this.#resumes,
      ...rest,
    };
    const done = new Promise<void>((resolve, reject) => {
      const ended = () => reject(new Error('The process has ended.'));
      const listen = (message: FromProcess) => {
        if (message.kind !== 'done') return;
        child.off('message', listen).off('exit', ended);
        resolve();
      };
      child.on('message', listen).once('exit', ended);
    });
    // The process may have been killed before it gets the tick; then `done` is rejected.
    child.send(tick, () => undefined);
    await done;
  }

  /** A process that has taken over. */
  async #open(): Promise<ChildProcess> {
    const child = await this.#child;
    this.#child = spare(this.bundle);
    child.on('message', (message: FromProcess) => this.#heard(message));
    const { outside, place, keys } = this;
    const ready = once(child, 'message');
    const given: Open = {
      kind: 'open',
      now: this.#now,
      store: place,
      rpcUrl: outside.rpc.url,
      reconcileUrl: outside.otherRpc.url,
      stripePort: outside.stripe.port,
      token: outside.token,
      walletKey: keys.wallet,
      xpub: keys.xpub,
    };
    child.send(given, () => undefined);
    await ready;
    return child;
  }

  #heard(message: FromProcess): void {
    if (message.kind === 'recorded') this.outside.recorded(message.id);
    if (message.kind === 'deposit') this.#asked.set(message.asked.operationId, message.asked);
    if (message.kind !== 'alarm') return;
    this.#alarms[message.name] = (this.#alarms[message.name] ?? 0) + 1;
    if (message.name === 'operation_stuck') this.#stuck.add(String(message.fields['operation_id']));
  }

  /** Copies the file between two processes, and puts an old copy back later. */
  #takeOrRestoreBackup(): void {
    if (this.place.kind !== 'sqlite') return;
    const { file } = this.place;
    if (this.#backup === null) {
      if (!this.#fate.isHit(0.15)) return;
      const folder = scratchFolder('gate-edges-backup-');
      copyFile(file, join(folder, 'legs.db'));
      this.#backup = { folder, livesLeft: this.#fate.between(1, 2) };
      return;
    }
    this.#backup.livesLeft -= 1;
    if (this.#backup.livesLeft > 0) return;
    copyFile(join(this.#backup.folder, 'legs.db'), file);
    this.#backup = null;
    this.#resumes = true;
    this.#events['restored backup'] = (this.#events['restored backup'] ?? 0) + 1;
  }

  async #withStore<Result>(work: (store: LegsStore) => Promise<Result>): Promise<Result> {
    if (this.place.kind === 'sqlite') {
      const database = openSqlite(this.place.file);
      try {
        return await work(sqliteLegsStore(database));
      } finally {
        database.close();
      }
    }
    const pool = new pg.Pool({ connectionString: this.place.url, max: 2 });
    try {
      return await work(postgresLegsStore(pool));
    } finally {
      await pool.end();
    }
  }

  /** A chain leg that only reads the store. */
  #chainOn(store: LegsStore) {
    return evmChain({
      networks: [
        {
          ...NETWORK,
          tokens: [{ asset: 'USDC', address: this.outside.token, decimals: 6 }],
          transport: http(this.outside.rpc.url),
        },
      ],
      wallet: { account: privateKeyToAccount(this.keys.wallet), ...WALLET_LIMITS },
      deposits: { xpub: this.keys.xpub },
      store,
    });
  }

  /** The tokens in the wallet and at the deposit addresses. */
  async #tokens(): Promise<string> {
    const addresses = await this.#withStore(async (store) => {
      const found = await store.list({ kind: 'evm_deposit_index', after: null, limit: 10_000 });
      // Written by the EVM leg.
      return found.map(({ body }) => (body as unknown as { readonly address: Hex }).address);
    });
    let sum = await this.outside.tokensOf(this.wallet);
    for (const address of addresses) sum = decimal.add(sum, await this.outside.tokensOf(address));
    return decimal.normalise(sum);
  }

  async #mispaid(store: LegsStore, operations: readonly Operation[]): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const { operationId, flow } of operations) {
      if (flow !== 'on_ramp') continue;
      const booked = (await store.balances(operationId)).find(({ account }) => account === 'fiat')?.amount ?? '0';
      const taken = this.outside.takenFor(operationId);
      if (!decimal.equals(booked, taken)) wrong.push(`${operationId}: ${taken} taken, ${booked} booked`);
    }
    return wrong;
  }

  async #misdelivered(store: LegsStore, operations: readonly Operation[]): Promise<readonly string[]> {
    const delivered = await this.outside.deliveries(this.wallet);
    const wrong: string[] = [];
    for (const { operationId, walletAddress, flow } of operations) {
      // A delivery of which a part arrived is booked as a loss if the operator does not count it as one.
      const isInPart = this.#resolved.includes(`${operationId}: delivered_in_part`);
      if (flow !== 'on_ramp' || walletAddress === null || isInPart) continue;
      const ids = [`${operationId}:out`, `${operationId}:resolution:delivered`];
      const booked = (await store.entries(operationId)).filter(({ id }) => ids.includes(id)).length;
      const sent = delivered.get(walletAddress.toLowerCase()) ?? 0;
      if (sent !== booked) wrong.push(`${operationId}: ${sent} transfers, ${booked} booked`);
    }
    return wrong;
  }
}

/** A payment with a wallet of its own, so that its deliveries can be counted. */
function orderOf(nth: number, now: number, fate: Chance): StartOrder {
  const operationId = `op${nth}`;
  const walletAddress = `0xb${nth.toString(16).padStart(39, '0')}`;
  const refundAddress = `0xc${nth.toString(16).padStart(39, '0')}`;
  const own = { operationId, walletAddress } as const;
  const order = fate.isHit(0.7)
    ? { ...buy(now, own), paymentDetails: paidBy(fate.pick(['succeeds', 'succeeds', 'succeeds', 'declines'])) }
    : swapOf(now, { ...own, refundAddress });
  return { ...order, operationId, returnUrl: 'https://checkout.example/return' };
}

function swapOf(now: number, own: Partial<Intent>): StartOrder {
  const order = swap(now);
  return { ...order, intent: { ...order.intent, ...own } };
}

/** Lets a person in the dashboard do something with a payment. */
async function byHand(
  outside: Outside,
  fate: Chance,
  status: 'requires_capture' | 'succeeded',
  act: (id: string) => unknown,
): Promise<void> {
  const ids = outside.payments(status);
  if (ids.length === 0) return;
  try {
    act(fate.pick(ids));
  } catch {
    // Stripe refuses it, for example for a payment that is disputed.
  }
}

async function placeOf(kind: EdgeOptions['store']): Promise<{ place: StorePlace; close: () => Promise<void> }> {
  if (kind === 'sqlite') {
    const file = join(scratchFolder('gate-edges-'), 'legs.db');
    openSqlite(file).close();
    return { place: { kind, file }, close: async () => undefined };
  }
  const { database } = await migratedDatabase();
  return { place: { kind, url: database.url }, close: () => database.drop() };
}

/** Copies a SQLite file with its log, which no process has open. */
function copyFile(from: string, to: string): void {
  for (const ending of ['', '-wal', '-shm']) {
    rmSync(`${to}${ending}`, { force: true });
    if (existsSync(`${from}${ending}`)) cpSync(`${from}${ending}`, `${to}${ending}`);
  }
}

function spare(bundle: string): Promise<ChildProcess> {
  const child = fork(bundle, {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return once(child, 'spawn').then(() => child);
}

const all = (store: LegsStore) => listOperations(store, { mode: 'test', isStuck: false, after: null, limit: 100_000 });
const stuck = (store: LegsStore) => listOperations(store, { mode: 'test', isStuck: true, after: null, limit: 100_000 });

async function unfinished(store: LegsStore): Promise<readonly Operation[]> {
  return (await all(store)).filter(({ state }) => state.kind === 'calling' || state.kind === 'awaiting');
}
