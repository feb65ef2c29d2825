import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openSqlite, sqliteLegsStore } from '@gateramp/adapters-store-sqlite';
import { decimal } from '@gateramp/core/domain';
import { listOperations, type LedgerEntry, type Operation, type SendOrder } from '@gateramp/provider-legs';
import { START, world } from '../../../packages/provider-legs/test/world.js';
import { chance, seedOf, type Chance } from '../../chaos/lib/chance.js';
import { sourceBundle } from '../../chaos/lib/server-bundle.js';
import { scratchFolder } from '../../services/scratch-folder.js';
import type { FromLife, Start, ToLife } from './protocol.js';

/** The number of kills, and the seed that chooses them. */
export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
}

/** The stored state after all kills, and the state of the processor and the chain. */
export interface Aftermath {
  readonly operations: readonly Operation[];
  readonly entries: readonly LedgerEntry[];
  /** Balances of the ledger by account and currency, in decimal text. */
  readonly balances: Readonly<Record<string, string>>;
  /** The balances that follow from the calls of the processor and the chain, by the same keys. */
  readonly outside: Readonly<Record<string, string>>;
  readonly sends: readonly SendOrder[];
  /** Call ids of tokens that are still set aside. */
  readonly reservations: readonly string[];
  readonly payOuts: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Longer than the lease of a call, so that each process takes over the work of the one before. */
const BETWEEN_LIVES_MS = 61_000;
/** Each kill takes place at one of the first `CALLS_MAX` calls that move money or report whether it moved. */
const CALLS_MAX = 14;
/** The maximum delay between an answer and a kill that should hit the following commit. */
const AFTER_ANSWER_MS = 4;
const DISPUTED = 0.15;
const PRICE = '100.00';

const MOVING: ReadonlySet<string> = new Set([
  'authorize',
  'confirm',
  'lookupAuthorization',
  'capture',
  'void',
  'refund',
  'registerPayee',
  'payOut',
  'send',
  'cancelSend',
  'reserve',
  'release',
]);

type Moment = 'before' | 'after' | 'answered';

/**
 * Runs provider legs on one file in a process that is killed again and again: before a call of the processor or the chain, between its
 * effect and its answer, or shortly after the answer, during a commit. The next process continues.
 */
export async function killLegs({ kills, seed }: KillOptions): Promise<Aftermath> {
  const file = join(scratchFolder('gate-leg-kills-'), 'legs.db');
  const bundle = await sourceBundle('tests/legs/kills/leg-process.ts', 'leg-process');
  const outside = new Outside(chance(seedOf(seed, 'disputes')));
  const fate = chance(seedOf(seed, 'kills'));
  let at: Pick<Start, 'now' | 'first'> = { now: START, first: 1 };
  let next = spare(bundle);
  for (let life = 0; life <= kills; life += 1) {
    const [process, isLast] = [await next, life === kills];
    if (!isLast) next = spare(bundle);
    const start: Start = { kind: 'start', file, ...at, callbacks: outside.callbacks(), isLast };
    const end = isLast ? null : { call: fate.between(1, CALLS_MAX), moment: fate.pick(MOMENTS), fate };
    at = await live(process, start, outside, end);
  }
  return aftermath(file, outside, kills);
}

const MOMENTS: readonly Moment[] = ['before', 'after', 'answered'];

interface Death {
  readonly call: number;
  readonly moment: Moment;
  readonly fate: Chance;
}

/** Starts a process in advance, so that it can take over without delay. */
async function spare(bundle: string): Promise<ChildProcess> {
  const child = fork(bundle, {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

/** Answers the calls of one process until it ends. Returns where the next one starts. */
async function live(child: ChildProcess, start: Start, outside: Outside, death: Death | null) {
  let { now, first } = start;
  let moving = 0;
  const kill = () => void child.kill('SIGKILL');
  const answer = (message: ToLife) => void (child.connected && child.send(message, () => {}));
  child.on('message', (message: FromLife) => {
    if (message.kind === 'tick') ({ now, next: first } = message);
    if (message.kind === 'recorded') outside.recorded(message.rawBody);
    if (message.kind !== 'call') return;
    moving += MOVING.has(message.method) ? 1 : 0;
    const isNow = death !== null && moving === death.call && MOVING.has(message.method);
    const isAfterDeath = death !== null && moving > death.call && death.moment !== 'answered';
    if (isAfterDeath || (isNow && death.moment === 'before')) return kill();
    void outside.carryOut(message).then((result) => {
      if (isNow && death.moment === 'after') return kill();
      answer({ kind: 'answer', id: message.id, ...result });
      if (isNow) setTimeout(kill, death.fate.next() * AFTER_ANSWER_MS);
    });
  });
  child.send(start satisfies ToLife);
  const [code] = (await once(child, 'exit')) as unknown as readonly [number | null];
  if (death === null && code !== 0) throw new Error(`The last process ended with ${code}.`);
  return { now: now + BETWEEN_LIVES_MS, first };
}

/** The processor, the chain and the buyers' banks, which survive the kills. */
class Outside {
  readonly #w = world();
  readonly #captured = new Set<string>();
  readonly #disputed = new Set<string>();
  readonly #payOuts = new Map<string, string>();
  readonly #counts: Record<string, number> = {};
  #unrecorded: readonly Uint8Array[] = [];
  #paid: Readonly<Record<string, string>> = {};

  constructor(private readonly chance: Chance) {}

  /** The callbacks that no process has recorded, sometimes with a new dispute of a captured payment. */
  callbacks(): readonly Uint8Array[] {
    const taken = [...this.#captured].filter((id) => !this.#disputed.has(id));
    if (taken.length > 0 && this.chance.isHit(DISPUTED)) {
      const authorizationId = this.chance.pick(taken);
      this.#disputed.add(authorizationId);
      const disputeId = `dispute-${authorizationId}`;
      const said = { kind: 'charged_back', eventId: disputeId, authorizationId, disputeId, amount: PRICE };
      this.#unrecorded = [...this.#unrecorded, Buffer.from(JSON.stringify(said))];
    }
    return this.#unrecorded;
  }

  recorded(rawBody: Uint8Array): void {
    this.#unrecorded = this.#unrecorded.filter((one) => Buffer.compare(one, rawBody) !== 0);
  }

  async carryOut({ port, method, args }: Extract<FromLife, { kind: 'call' }>) {
    try {
      const leg: object = port === 'chain' ? this.#w.chain : this.#w.fiat;
      const called: unknown = Reflect.get(leg, method);
      if (typeof called !== 'function') throw new Error(`${port} has no ${method}.`);
      const value: unknown = await Reflect.apply(called, leg, [...args]);
      this.#note(method, args, value);
      return { value, error: null };
    } catch (error) {
      return { value: null, error: String(error) };
    }
  }

  get payOuts(): readonly string[] {
    return [...this.#payOuts.keys()];
  }

  get reservations(): readonly string[] {
    return [...this.#w.chain.reservations.keys()];
  }

  get sends(): readonly SendOrder[] {
    return [...this.#w.chain.sends.values()];
  }

  get counts(): Readonly<Record<string, number>> {
    return { ...this.#counts, captured: this.#captured.size, disputed: this.#disputed.size };
  }

  /** The balances at the processor, and on the chain those of the wallet and the deposit addresses together. */
  balances(): Readonly<Record<string, string>> {
    const captured = String(this.#captured.size * Number(PRICE));
    const fiat = [...this.#payOuts.values()].reduce(decimal.subtract, this.#w.fiat.leftOf(captured));
    const tokens = { ...this.#paid };
    for (const { asset, network, amount } of this.sends) {
      const key = `chain:${network} ${asset}@${network}`;
      tokens[key] = decimal.subtract(tokens[key] ?? '0', amount);
    }
    return { 'fiat EUR': fiat, ...tokens };
  }

  #note(method: string, args: readonly unknown[], value: unknown): void {
    this.#counts[method] = (this.#counts[method] ?? 0) + 1;
    const result = value as { readonly kind?: string } | undefined;
    const [order] = args as readonly [
      { readonly callId: string; readonly authorizationId: string; readonly amount: string },
    ];
    if (method === 'capture' && result?.kind === 'captured') this.#captured.add(order.authorizationId);
    if (method === 'payOut' && result?.kind === 'paid') this.#payOuts.set(order.callId, order.amount);
    if (method !== 'pay') return;
    const [, { asset, network, amount }] = args as readonly [string, SendOrder];
    const key = `chain:${network} ${asset}@${network}`;
    this.#paid = { ...this.#paid, [key]: decimal.add(this.#paid[key] ?? '0', amount) };
  }
}

async function aftermath(file: string, outside: Outside, kills: number): Promise<Aftermath> {
  const database = openSqlite(file);
  const store = sqliteLegsStore(database);
  const operations = await listOperations(store, { mode: 'test', isStuck: false, after: null, limit: 1_000_000 });
  const entries = (await Promise.all(operations.map(({ operationId }) => store.entries(operationId)))).flat();
  const balances = await store.balances(null);
  database.close();
  return {
    operations,
    entries,
    balances: Object.fromEntries(
      balances.map(({ account, currency, amount }) => [`${account} ${currency}`, decimal.normalise(amount)]),
    ),
    outside: Object.fromEntries(
      Object.entries(outside.balances()).map(([key, amount]) => [key, decimal.normalise(amount)]),
    ),
    sends: outside.sends,
    reservations: outside.reservations,
    payOuts: outside.payOuts,
    counts: { kills, operations: operations.length, entries: entries.length, ...outside.counts },
  };
}
