import { createHash } from 'node:crypto';
import {
  memorySandboxLedger,
  sandboxPools,
  sandboxProvider,
  type SandboxAudit,
  type SandboxLedger,
} from '@gateramp/adapters-provider-sandbox';
import { memoryKycVault } from '@gateramp/adapters-store-memory';
import { requestTarget } from '@gateramp/core/http';
import type { Crypto, Store } from '@gateramp/core/ports';
import { nodeCrypto } from '@gateramp/core/runtime';
import { createTestGate, testDeadlines, type TestGate } from '@gateramp/testing';
import { answersOf } from '../differential/answering.js';
import { admitAll, CALLBACK_SECRET, stepped } from '../differential/system.js';
import { credentialsOf, scopeOf, type Who } from '../differential/cast.js';
import type { Command } from '../differential/command.js';
import { Known, type Answer, type Exchange } from '../differential/known.js';
import { requestOf } from '../differential/request-of.js';
import type { Facts } from '../differential/request/target.js';
import { inTurns, Turns } from './turns.js';
import { walkList, type Walk } from './walk-list.js';

/** Concurrent clients, each with a sequence of commands. */
export interface Gathering {
  readonly clients: readonly (readonly Command[])[];
  /** The partners whose lists are read page by page meanwhile. */
  readonly walks: readonly Who[];
  /** Decides the order of the turns, if calls take turns. */
  readonly seed: number;
}

/** A request and its answer, recorded in the order of the answers. */
export interface Heard {
  readonly exchange: Exchange;
  readonly answer: Answer;
}

/** The state after a gathering. */
export interface Aftermath {
  readonly heard: readonly Heard[];
  readonly walks: readonly Walk[];
  readonly known: Known;
  readonly store: Store;
  readonly ledger: SandboxLedger & SandboxAudit;
  readonly t: TestGate;
  /** Repeats a request after all clients have ended. */
  readonly ask: (exchange: Exchange) => Promise<Answer>;
}

const MASTER_KEY = createHash('sha256').update('the master key of the crowd').digest();

/** Runs a gathering in two processes. With turns, every call of a port waits for its turn; otherwise the timing of the store decides. */
export async function gather(
  stores: readonly [Store, Store],
  gathering: Gathering,
  isTakingTurns: boolean,
): Promise<Aftermath> {
  const turns = isTakingTurns ? new Turns(gathering.seed) : null;
  const ledger = memorySandboxLedger();
  const books = turns === null ? ledger : inTurns(ledger, turns);
  const portsOver = (store: Store) => ({
    masterKey: MASTER_KEY,
    // No client may time out on a slow machine.
    deadlines: testDeadlines(),
    store: turns === null ? store : inTurns(store, turns),
    vault: turns === null ? memoryKycVault() : inTurns(memoryKycVault(), turns),
    providers: [sandboxProvider({ ledger: books, callbackSecret: CALLBACK_SECRET })],
    pools: sandboxPools({ ledger: books }),
    crypto:
      turns === null ? nodeCrypto({ masterKey: MASTER_KEY }) : patient(nodeCrypto({ masterKey: MASTER_KEY }), turns),
  });
  const playing = async <Value>(work: Promise<Value>): Promise<Value> => (turns === null ? work : turns.until(work));
  const t = await playing(createTestGate({ seed: String(gathering.seed), ports: portsOver(stores[0]) }));
  await playing(admitAll(t));
  const other = t.restart(portsOver(stores[1]));
  const crowd = new Crowd([t, other]);
  const walks = Promise.all(gathering.walks.map((who) => crowd.walkOften(who)));
  await playing(Promise.all([walks, ...gathering.clients.map((commands, client) => crowd.run(commands, client))]));
  t.receiver.answerWith(answersOf('accepts'));
  await playing(stepped(t, t.store).clock.advance('4h'));
  const { heard, known } = crowd;
  return {
    heard,
    known,
    walks: (await walks).flat(),
    store: stores[0],
    ledger,
    t,
    ask: (exchange) => playing(crowd.ask(t, exchange)),
  };
}

const WALKS_EACH = 4;

class Crowd {
  readonly known = new Known();
  readonly heard: Heard[] = [];

  constructor(private readonly processes: readonly [TestGate, TestGate]) {}

  async run(commands: readonly Command[], client: number): Promise<void> {
    const process = this.processes[client % 2 === 0 ? 0 : 1];
    for (const [nth, command] of commands.entries()) {
      if (command.kind === 'ask') await this.request(process, command, client * 1_000 + nth);
      else await this.undergo(process, command);
    }
  }

  /** Walks the list several times: when the first walk ends, there may be fewer than two sessions. */
  async walkOften(who: Who): Promise<readonly Walk[]> {
    const walks: Walk[] = [];
    for (let nth = 0; nth < WALKS_EACH; nth += 1) walks.push(await this.walk(who));
    return walks;
  }

  /** Reads all pages of a list, newest first. */
  async walk(who: Who): Promise<Walk> {
    const begun = this.known.sessions
      .filter((one) => one.who.partner === who.partner && one.who.mode === who.mode)
      .map(({ id }) => id);
    const visited = await walkList(async (query) => {
      const headers = { authorization: `Bearer ${credentialsOf(who).secret}` };
      return this.ask(this.processes[0], {
        mode: who.mode,
        method: 'GET',
        path: `/v1/gate_sessions?${query}`,
        headers,
        body: null,
        token: null,
      });
    });
    return { begun, visited };
  }

  async ask(process: TestGate, { mode, product, method, path, headers, body }: Exchange): Promise<Answer> {
    const bytes = { kind: 'bytes' as const, bytes: body ?? new Uint8Array(0) };
    const {
      status,
      headers: answered,
      body: text,
    } = await (product === 'pools' ? process.gate.poolsHost : process.gate).handle(mode, {
      method,
      ...requestTarget(path),
      headers,
      body: bytes,
      clientIp: '203.0.113.7',
    });
    return { status, headers: answered, body: text };
  }

  private async request(process: TestGate, command: Extract<Command, { kind: 'ask' }>, nth: number): Promise<void> {
    const operations = new Map<string, string>();
    if (command.ask.to === 'callback') {
      for (const { id, token } of this.known.intents)
        operations.set(id, (await process.store.find('intent', scopeOf(token.who), id))?.operationId ?? 'none');
    }
    const facts: Facts = {
      callbackSecret: CALLBACK_SECRET,
      wall: process.clock.wall(),
      operationOf: ({ id }) => operations.get(id) ?? 'none',
      eventOf: ({ outcome }, operationId) => `${operationId}/${outcome}`,
    };
    const exchange = requestOf(command, nth, this.known, facts);
    if (exchange === null) return;
    const answer = await this.ask(process, exchange);
    this.heard.push({ exchange, answer });
    this.known.learn(exchange, answer);
  }

  /** Applies a command other than a request. The clock advances for all clients; this process does the work that is due. */
  private async undergo(process: TestGate, command: Exclude<Command, { kind: 'ask' }>): Promise<void> {
    if (command.kind === 'receiver') process.receiver.answerWith(answersOf(command.answering));
    if (command.kind !== 'pass') return;
    await process.ports.testClock?.advanceTo(process.clock.wall() + command.ms);
    await process.gate.runDue();
  }
}

/** Pauses the turns while a token is signed or verified, which happens on other threads. */
function patient(crypto: Crypto, turns: Turns): Crypto {
  return {
    ...crypto,
    signToken: (...given) => turns.elsewhere(() => crypto.signToken(...given)),
    verifyToken: (...given) => turns.elsewhere(() => crypto.verifyToken(...given)),
  };
}
