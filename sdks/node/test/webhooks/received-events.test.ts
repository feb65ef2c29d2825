import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  memoryEvents,
  webhooks,
  type ReceivedEvent,
  type ReceivedEvents,
  type ReceiveOptions,
  type TransactionalEvents,
  type WebhookReceiver,
} from '../../src/index.js';

const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
const EVENT: ReceivedEvent = { id: 'e1', sessionId: 's1', sequence: 1 };

async function deliver(receiver: WebhookReceiver, { id, sequence, sessionId }: ReceivedEvent = EVENT) {
  const data = { object: 'gate_session', id: sessionId };
  const payload = JSON.stringify({ id, type: 'gate_session.created', sequence, data });
  const answer = await receiver.receive(payload, webhooks.generateTestHeader({ payload, secret: SECRET }));
  return { status: answer.status, ...(JSON.parse(answer.body) as { duplicate?: true; error?: { reason: string } }) };
}

/** A gate that the test opens. */
function barrier(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

describe('two processes on one store of claims', () => {
  /** Each receiver represents a process that shares only the store with the others. */
  function process(store: ReceivedEvents, handle: ReceiveOptions['handle'], options: Partial<ReceiveOptions> = {}) {
    const errors: string[] = [];
    const onError = (error: unknown): void => void errors.push(String(error));
    return { errors, receiver: webhooks.receive({ secret: SECRET, store, handle, onError, ...options }) };
  }

  it('never handle one event at the same time: the second is answered 503, and 200 once it is handled', async () => {
    const store = memoryEvents();
    const { opened, open } = barrier();
    const handled: string[] = [];
    const first = process(store, async () => {
      await opened;
      handled.push('first');
    });
    const second = process(store, () => void handled.push('second'));
    const running = deliver(first.receiver);
    expect(await deliver(second.receiver)).toMatchObject({ status: 503, error: { reason: 'in_progress' } });
    open();
    expect(await running).toMatchObject({ status: 200 });
    expect(await deliver(second.receiver)).toMatchObject({ status: 200, duplicate: true });
    expect(handled).toEqual(['first']);
  });

  it('one takes over when the lease of another that crashed has ended, and not before', async () => {
    let now = 0;
    const store = memoryEvents(10, () => now);
    const crashed = process(store, () => new Promise(() => undefined), { leaseSeconds: 30 });
    void deliver(crashed.receiver);
    const handled: string[] = [];
    const other = process(store, ({ id }) => void handled.push(id));
    await Promise.resolve();
    now = 29_999;
    expect((await deliver(other.receiver)).status).toBe(503);
    now = 30_000;
    expect((await deliver(other.receiver)).status).toBe(200);
    expect(handled).toEqual(['e1']);
  });

  it('one that lost its lease to another records nothing, and says so', async () => {
    let now = 0;
    const store = memoryEvents(10, () => now);
    const [slow, quick] = [barrier(), barrier()];
    const first = process(store, () => slow.opened, { leaseSeconds: 30 });
    const second = process(store, () => quick.opened, { leaseSeconds: 30 });
    const [early, late] = [deliver(first.receiver), ((now = 30_000), deliver(second.receiver))];
    slow.open();
    expect((await early).status).toBe(500);
    expect(first.errors).toEqual([expect.stringContaining('leaseSeconds')]);
    quick.open();
    expect((await late).status).toBe(200);
  });

  it('one handles at once what another has failed to handle', async () => {
    const store = memoryEvents();
    const failing = process(store, () => Promise.reject(new Error('the database is away')));
    expect((await deliver(failing.receiver)).status).toBe(500);
    const handled: string[] = [];
    expect((await deliver(process(store, ({ id }) => void handled.push(id)).receiver)).status).toBe(200);
    expect(handled).toEqual(['e1']);
  });

  it.each(['claim', 'complete'] as const)('answer 500 where %s of the store fails, and report why', async (method) => {
    const broken: ReceivedEvents = { ...memoryEvents(), [method]: () => Promise.reject(new Error('away')) };
    const { receiver, errors } = process(broken, () => undefined);
    expect((await deliver(receiver)).status).toBe(500);
    expect(errors).toEqual(['Error: away']);
  });

  it('report what the handler threw, also where the claim cannot be released', async () => {
    const broken: ReceivedEvents = { ...memoryEvents(), release: () => Promise.reject(new Error('away')) };
    const { receiver, errors } = process(broken, () => Promise.reject(new Error('the handler')));
    expect((await deliver(receiver)).status).toBe(500);
    expect(errors).toEqual(['Error: the handler']);
  });
});

/** Anything that the host provides may never end. */
const never = (): Promise<never> => new Promise(() => undefined);

describe('a delivery whose handling does not end', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Lets the time pass after which the receiver must have answered; the sender waits for ten seconds. */
  async function answered<Answer>(delivery: Promise<Answer>): Promise<Answer> {
    let ended = false;
    void delivery.finally(() => (ended = true));
    await vi.advanceTimersByTimeAsync(9_500);
    expect(ended).toBe(true);
    return delivery;
  }

  it('is answered 503 in time, and the next delivery after the lease runs the handler again', async () => {
    let runs = 0;
    const errors: string[] = [];
    const receiver = webhooks.receive({
      secret: SECRET,
      handle: () => {
        runs += 1;
        return runs === 1 ? never() : undefined;
      },
      onError: (error) => errors.push(String(error)),
    });
    expect(await answered(deliver(receiver))).toMatchObject({ status: 503, error: { reason: 'in_progress' } });
    expect(errors).toEqual([expect.stringContaining('e1')]);
    expect(await answered(deliver(receiver))).toMatchObject({ status: 503, error: { reason: 'in_progress' } });
    expect([runs, errors.length]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await answered(deliver(receiver))).toMatchObject({ status: 200 });
    expect(await deliver(receiver)).toMatchObject({ duplicate: true });
    expect(runs).toBe(2);
  });

  it('is answered 503 where the lease ends before, and a late end of the first handler records nothing', async () => {
    const [first, second] = [barrier(), barrier()];
    const runs = [first.opened, second.opened];
    const errors: string[] = [];
    const completed: boolean[] = [];
    const store = memoryEvents();
    const receiver = webhooks.receive({
      secret: SECRET,
      leaseSeconds: 2,
      store: {
        ...store,
        complete: async (event, token) => {
          const isOwn = await store.complete(event, token);
          completed.push(isOwn);
          return isOwn;
        },
      },
      handle: () => runs.shift(),
      onError: (error) => errors.push(String(error)),
    });
    expect(await answered(deliver(receiver))).toMatchObject({ status: 503 });
    const again = deliver(receiver);
    await vi.advanceTimersByTimeAsync(0);
    first.open();
    await vi.advanceTimersByTimeAsync(0);
    expect(completed).toEqual([false]);
    second.open();
    expect(await again).toMatchObject({ status: 200, received: true });
    expect(completed).toEqual([false, true]);
    expect(errors).toEqual([expect.any(String), expect.stringContaining('leaseSeconds')]);
  });

  it.each(['claim', 'complete', 'release'] as const)(
    'is answered in time where %s of the store hangs',
    async (method) => {
      const errors: string[] = [];
      const receiver = webhooks.receive({
        secret: SECRET,
        store: { ...memoryEvents(), [method]: never },
        handle: () => {
          if (method === 'release') throw new Error('of the handler');
        },
        onError: (error) => errors.push(String(error)),
      });
      expect((await answered(deliver(receiver))).status).toBe(method === 'release' ? 500 : 503);
      expect(errors).toEqual([expect.stringContaining(method === 'release' ? 'of the handler' : 'e1')]);
    },
  );

  it('never starts its handler after it was answered', async () => {
    const { opened, open } = barrier();
    const store = memoryEvents();
    const handled: string[] = [];
    const options = {
      secret: SECRET,
      handle: ({ id }: { id: string }) => void handled.push(id),
      onError: () => undefined,
    };
    const slow: ReceivedEvents = {
      ...store,
      claim: async (event, lease) => {
        await opened;
        return store.claim(event, lease);
      },
    };
    expect((await answered(deliver(webhooks.receive({ ...options, store: slow })))).status).toBe(503);
    open();
    await vi.advanceTimersByTimeAsync(0);
    expect(handled).toEqual([]);
    expect((await deliver(webhooks.receive({ ...options, store }))).status).toBe(200);
  });

  it('rolls back its transaction when the lease has ended, and the next delivery runs the handler again', async () => {
    let runs = 0;
    const rolledBack: unknown[] = [];
    const recorded = new Set<string>();
    const store: TransactionalEvents<Set<string>> = {
      transaction: async (work) => {
        const written = new Set<string>();
        try {
          const result = await work(written);
          for (const id of written) recorded.add(id);
          return result;
        } catch (error) {
          rolledBack.push(error);
          throw error;
        }
      },
      record: async ({ id }, written) => {
        written.add(id);
        return { isNew: !recorded.has(id), lastSequence: null };
      },
    };
    const receiver = webhooks.receive({
      secret: SECRET,
      store,
      handle: () => {
        runs += 1;
        return runs === 1 ? never() : undefined;
      },
      onError: () => undefined,
    });
    expect(await answered(deliver(receiver))).toMatchObject({ status: 503, error: { reason: 'in_progress' } });
    expect(rolledBack).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rolledBack).toHaveLength(1);
    expect(await deliver(receiver)).toMatchObject({ status: 200 });
    expect(await deliver(receiver)).toMatchObject({ duplicate: true });
    expect(runs).toBe(2);
  });

  it('a lease that is longer than timers can wait lets a transaction end by itself', async () => {
    const { opened, open } = barrier();
    const store: TransactionalEvents<null> = {
      transaction: (work) => work(null),
      record: async () => ({ isNew: true, lastSequence: null }),
    };
    const receiver = webhooks.receive({ secret: SECRET, store, leaseSeconds: 1e9, handle: () => opened });
    const delivery = deliver(receiver);
    await vi.advanceTimersByTimeAsync(1_000);
    open();
    expect((await delivery).status).toBe(200);
  });
});

describe('a hook that fails', () => {
  const failures = {
    throws: () => {
      throw new Error('of the hook');
    },
    rejects: () => Promise.reject(new Error('of the hook')),
    hangs: never,
  };

  it.each(Object.entries(failures))('because it %s changes no answer', async (_, hook) => {
    const written = vi.spyOn(console, 'error').mockReturnValue();
    const handle = (): void => {
      throw new Error('of the handler');
    };
    const hooks = { onError: hook as () => void, onRefused: hook as () => void };
    const receiver = webhooks.receive({ secret: SECRET, handle, ...hooks });
    expect(await deliver(receiver)).toMatchObject({ status: 500, error: { reason: 'handler_failed' } });
    const refused = await receiver.receive('{}', 't=1,v1=00');
    expect(refused.status).toBe(400);
    written.mockRestore();
  });
});

it('the memory store forgets the oldest when very many came after', async () => {
  const store = memoryEvents(2);
  const lease = { token: 't', seconds: 60 };
  const events = ['e1', 'e2', 'e3'].map((id) => ({ id, sessionId: null, sequence: null }));
  for (const event of events) {
    await store.claim(event, lease);
    expect(await store.complete(event, 't')).toBe(true);
  }
  const statuses: string[] = [];
  for (const event of events) statuses.push((await store.claim(event, lease)).status);
  expect(statuses).toEqual(['claimed', 'handled', 'handled']);
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('a lease of %d seconds is refused', (leaseSeconds) => {
  const made = (): unknown => webhooks.receive({ secret: SECRET, handle: () => undefined, leaseSeconds });
  expect(made).toThrow(expect.objectContaining({ code: 'invalid_configuration' }));
});

it('the memory store keeps a limited number of claims, and forgets only ended ones', async () => {
  let now = 0;
  const store = memoryEvents(2, () => now);
  const claim = async (id: string, token: string) =>
    (await store.claim({ id, sessionId: null, sequence: null }, { token, seconds: 60 })).status;
  expect([await claim('e1', 't'), await claim('e2', 't'), await claim('e3', 't')]).toEqual([
    'claimed',
    'claimed',
    'in_progress',
  ]);
  now = 60_000;
  expect([await claim('e1', 'again'), await claim('e3', 't')]).toEqual(['claimed', 'claimed']);
  const completes = (id: string, token: string) => store.complete({ id, sessionId: null, sequence: null }, token);
  expect([completes('e1', 't'), completes('e2', 't'), completes('e3', 't')]).toEqual([false, false, true]);
  expect(completes('e1', 'again')).toBe(true);
});

describe('a store in the transaction of the handler', () => {
  interface Tables {
    readonly recorded: readonly ReceivedEvent[];
    readonly effects: readonly string[];
  }

  /** A database whose transactions run one after another; a rejected one is rolled back. */
  function database() {
    let committed: Tables = { recorded: [], effects: [] };
    let last: Promise<unknown> = Promise.resolve();
    const store: TransactionalEvents<{ tables: Tables }> = {
      transaction: (work) => {
        const run = last.then(async () => {
          const transaction = { tables: committed };
          const result = await work(transaction);
          committed = transaction.tables;
          return result;
        });
        last = run.catch(() => undefined);
        return run;
      },
      record: async (event, transaction) => {
        const { recorded } = transaction.tables;
        if (recorded.some(({ id }) => id === event.id)) return { isNew: false, lastSequence: null };
        const sequences = recorded.flatMap((one) => (one.sessionId === event.sessionId ? [one.sequence ?? 0] : []));
        transaction.tables = { ...transaction.tables, recorded: [...recorded, event] };
        return { isNew: true, lastSequence: sequences.length === 0 ? null : Math.max(...sequences) };
      },
    };
    return { store, tables: () => committed };
  }

  it('keeps the record of an event and what its handler wrote, or neither', async () => {
    const { store, tables } = database();
    let fails = true;
    const receiver = webhooks.receive({
      secret: SECRET,
      store,
      handle: ({ id }, { transaction }) => {
        transaction.tables = { ...transaction.tables, effects: [...transaction.tables.effects, id] };
        if (fails) throw new Error('after it has written');
      },
      onError: () => undefined,
    });
    expect((await deliver(receiver)).status).toBe(500);
    expect(tables()).toEqual({ recorded: [], effects: [] });
    fails = false;
    expect(await deliver(receiver)).toMatchObject({ status: 200, received: true });
    expect(await deliver(receiver)).toMatchObject({ status: 200, duplicate: true });
    expect(tables()).toEqual({ recorded: [EVENT], effects: ['e1'] });
  });

  it('tells a handler that a later event of its session was handled before', async () => {
    const { store } = database();
    const stale: string[] = [];
    const receiver = webhooks.receive({
      secret: SECRET,
      store,
      handle: ({ id }, { isStale }) => void (isStale && stale.push(id)),
    });
    for (const sequence of [1, 3, 2, 4]) await deliver(receiver, { id: `e${sequence}`, sessionId: 's1', sequence });
    expect(stale).toEqual(['e2']);
  });
});
