import assert from 'node:assert/strict';
import type { Command, History, ProviderUpdate } from './command.js';
import { Known, type Answer, type Exchange } from './known.js';
import { requestOf } from './request-of.js';
import { CALLBACK_SECRET, System, type Kind } from './system.js';
import { books, walk } from './walk.js';

/** Called with the result of each request, to measure the coverage of histories. */
export type Note = (exchange: Exchange, answer: Answer) => void;

export interface Watcher {
  readonly note?: Note;
  readonly onStep?: (nth: number) => void;
  /** The fraction of the history after which every system is restarted, and moved if its place supports that. */
  readonly moveAfter?: number;
}

/** Plays a history on every kind of system at once. After each step, all must have returned and sent the same bytes. */
export async function play(
  kinds: readonly Kind[],
  history: History,
  { note = () => undefined, onStep = () => undefined, moveAfter }: Watcher = {},
): Promise<void> {
  const systems: System[] = [];
  try {
    for (const kind of kinds) systems.push(await System.open(kind, history));
    const trial = new Trial(systems, note);
    for (const [nth, command] of history.commands.entries()) {
      onStep(nth);
      if (moveAfter !== undefined && nth === Math.floor(history.commands.length * moveAfter)) await trial.move();
      await trial.step(command, nth);
    }
    await trial.end();
  } finally {
    for (const system of systems) await system.close();
  }
}

class Trial {
  private readonly known = new Known();
  private comparedWebhooks = 0;

  constructor(
    private readonly systems: readonly System[],
    private readonly note: Note,
  ) {}

  async step(command: Command, nth: number): Promise<void> {
    if (command.kind === 'ask') await this.ask(await this.requestOf(command, nth), nth);
    else
      await this.all(`step ${nth}, ${JSON.stringify(command)}`, (system) => system.undergo(command, this.known.ends));
    this.compareWebhooks(`after step ${nth}`);
  }

  async move(): Promise<void> {
    await this.all('the move', (system) => system.move());
    this.compareWebhooks('after the move');
  }

  /** Completes the remaining work, and compares all stored data. */
  async end(): Promise<void> {
    await this.all('the work that was left', (system) => system.pass(4 * 3_600_000));
    this.compareWebhooks('at the end');
    for (const request of walk) await this.pages(request);
    for (const request of books) await this.ask({ ...request, method: 'GET', body: null, token: null }, -1);
    this.same(
      'what operators saw',
      this.systems.map(({ telemetry }) => telemetry.alarms),
    );
    for (const { telemetry } of this.systems) assert.deepEqual(telemetry.failures, []);
  }

  private async requestOf(command: Extract<Command, { kind: 'ask' }>, nth: number): Promise<Exchange | null> {
    const [first] = this.systems;
    if (first === undefined) return null;
    const operations = new Map<string, string>();
    if (command.ask.to === 'callback') {
      for (const intent of this.known.intents) operations.set(intent.id, await first.operationOf(intent));
    }
    const operationOf = ({ id }: { readonly id: string }): string => operations.get(id) ?? 'none';
    const eventOf = ({ event }: ProviderUpdate): string => `evt-${event}`;
    return requestOf(command, nth, this.known, {
      callbackSecret: CALLBACK_SECRET,
      wall: first.wall,
      operationOf,
      eventOf,
    });
  }

  private async ask(exchange: Exchange | null, nth: number): Promise<Answer | null> {
    if (exchange === null) return null;
    const { mode, product, method, path, body } = exchange;
    const what = `step ${nth}, ${product ?? mode} ${method} ${path} ${body === null ? '' : Buffer.from(body).toString().slice(0, 2_000)}`;
    const answer = await this.all(what, (system) => system.ask(exchange));
    assert.ok(answer.status < 500 || isContractual(answer), `${what}: ${answer.status} ${answer.body}`);
    this.known.learn(exchange, answer);
    this.note(exchange, answer);
    return answer;
  }

  private async pages({ mode, path, headers }: Pick<Exchange, 'mode' | 'path' | 'headers'>): Promise<void> {
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? '' : `&starting_after=${cursor}`;
      const answer = await this.ask(
        { mode, method: 'GET', path: `${path}?limit=50${from}`, headers, body: null, token: null },
        -1,
      );
      // All systems may have the same fault in a page; the time limit of the test stops a walk in a circle.
      cursor = answer === null ? null : nextCursor(answer);
    } while (cursor !== null);
  }

  private compareWebhooks(when: string): void {
    this.same(
      `webhooks ${when}`,
      this.systems.map(({ webhooks }) => webhooks.slice(this.comparedWebhooks)),
    );
    this.comparedWebhooks = this.systems[0]?.webhooks.length ?? 0;
  }

  private async all<Value>(what: string, work: (system: System) => Promise<Value>): Promise<Value> {
    return this.same(what, await Promise.all(this.systems.map(work)));
  }

  /** Checks that all values are equal, and returns the first. */
  private same<Value>(what: string, values: readonly Value[]): Value {
    const [first, ...others] = values;
    if (first === undefined) throw new Error('Nothing to compare.');
    others.forEach((other, index) => {
      const names = `${this.systems[0]?.name} and ${this.systems[index + 1]?.name}`;
      assert.deepEqual(other, first, `${names} differ: ${what}`);
    });
    return first;
  }
}

/** Whether an answer with a 5xx status is a refusal of the contract and not a fault. */
export function isContractual({ status, body }: Pick<Answer, 'status' | 'body'>): boolean {
  return (
    (status === 503 && body.includes('"try_again"')) || (status === 501 && body.includes('"off_ramp_not_available"'))
  );
}

function nextCursor({ body }: Answer): string | null {
  // The list envelope of the contract.
  const { data, has_more: hasMore } = JSON.parse(body) as {
    data: readonly { readonly id: string }[];
    has_more: boolean;
  };
  return hasMore ? (data.at(-1)?.id ?? null) : null;
}
