import { err, ok, type Result } from 'neverthrow';
import {
  type AuditContext,
  DAY,
  type Delivery,
  type Instant,
  MINUTE,
  PAGE_LIMIT_MAX,
  type Scope,
  type Session,
  type Task,
  type Transaction,
  isLeased,
  type ExecutableQuote,
  isLive,
  quoteStatus,
} from '@gateramp/core/domain';
import {
  type DocumentKind,
  type Engine,
  apply,
  documentWrite,
  findKeptRow,
  listRows,
  sandboxDue,
  TryAgain,
} from '@gateramp/core/extension';
import { MasterKeyMissingError, emptyChange } from '@gateramp/core/ports';
import { customerOf, findPayment, hasCustomer, keepsMethods, quoteKind } from '@gateramp/core/purchases';
import { SteppedElsewhere, sandboxClock, stepped, type Stepper } from './advance-clock.js';
import type { SandboxControl } from './control.js';
import type { Checkpoint, CheckpointRows, SandboxRows, SandboxState } from './restored-rows.js';

/** The engine with its worker, and the control of its sandbox provider; null without one. */
export interface Sandbox extends Stepper {
  readonly control: SandboxControl | null;
}

/** Checkpoints of one sandbox. */
export const CHECKPOINTS_MAX = 10;

/** The maximum number of rows of each kind in one checkpoint: sessions, payments, quotes, tasks and deliveries. */
export const CHECKPOINT_ROWS_MAX = 500;

/** Characters of the rows of a checkpoint. */
const CHECKPOINT_TEXT_MAX = 4_000_000;

/** Before every instant, so that the row is absent and may be deleted at once. */
const NOT_KEPT: Instant = 0;

const HEADS: DocumentKind<Checkpoint> = { noun: 'sandbox_checkpoint', keepUntilOf: keptUntil };
const ROWS: DocumentKind<CheckpointRows> = { noun: 'sandbox_checkpoint_rows', keepUntilOf: keptUntil };

function keptUntil({ isDeleted }: { readonly isDeleted: boolean }): Instant | null {
  return isDeleted ? NOT_KEPT : null;
}

/** Why nothing was saved or restored. */
export interface CheckpointRefusal {
  readonly code: 'not_found' | 'name_taken' | 'too_many' | 'too_large' | 'not_available' | 'try_again';
  readonly message: string;
}

/** The result of a return to a checkpoint. */
export interface Returned {
  readonly checkpoint: Checkpoint;
  /** The time of the sandbox, which never goes back. */
  readonly now: Instant;
  /** Sessions that are as they were. */
  readonly restored: number;
  /** Sessions created since the checkpoint that were open, and have expired. */
  readonly expired: number;
}

export type Done<Value> = Promise<Result<Value, CheckpointRefusal>>;

/** The checkpoints of a sandbox, newest first. */
export async function listCheckpoints({ store }: Engine, scope: Scope): Promise<readonly Checkpoint[]> {
  const rows = await listRows(store, HEADS, scope, { start: { kind: 'newest' }, limit: PAGE_LIMIT_MAX });
  return rows.filter(({ isDeleted }) => !isDeleted);
}

/** Saves the state of a sandbox under a name, after its running work has ended. */
export function createCheckpoint(sandbox: Sandbox, scope: Scope, name: string, by: AuditContext): Done<Checkpoint> {
  const { engine, control } = sandbox;
  return atRest(sandbox, scope, async () => {
    if (control?.save === undefined || control.restore === undefined) return notAvailable(NO_SANDBOX);
    const present = await listCheckpoints(engine, scope);
    if (present.some((one) => one.name === name))
      return refused('name_taken', 'Another checkpoint has this name. Delete it first, or choose another name.');
    if (present.length >= CHECKPOINTS_MAX)
      return refused('too_many', `A sandbox has at most ${CHECKPOINTS_MAX} checkpoints. Delete one first.`);
    const rows = await readTwice(engine, scope, control);
    if (rows.isErr()) return err(rows.error);
    const now = engine.clock.now(scope);
    const row = { ...scope, id: engine.ids.object(now), version: 0, createdAt: now, isDeleted: false };
    const { sessions, transactions, tasks, deliveries } = rows.value;
    const head: Checkpoint = {
      ...row,
      name,
      sessions: sessions.length,
      payments: transactions.length,
      work: tasks.length + deliveries.length,
    };
    const { provider, ...saved } = rows.value;
    const sealedProvider = engine.crypto.sealSecret(JSON.stringify(provider), scope);
    const documents = [
      documentWrite(HEADS, head, null),
      documentWrite(ROWS, { ...row, rows: { ...saved, sealedProvider } }, null),
    ];
    if (documents.reduce((sum, { row: { body } }) => sum + body.length, 0) > CHECKPOINT_TEXT_MAX) return tooLarge();
    const audited = [{ ...by, ...scope, ...entryOf('create', head), before: null, after: head }];
    await apply(engine, {
      load: async () => null,
      decide: () => ({ change: { ...emptyChange(scope, now), documents }, value: null, audited }),
    });
    return ok({ ...head, version: 1 });
  });
}

export async function deleteCheckpoint(engine: Engine, scope: Scope, id: string, by: AuditContext): Done<Checkpoint> {
  const { value } = await apply(engine, {
    load: () => loadCheckpoint(engine, scope, id),
    decide: (found) => {
      if (found === null) return { change: null, value: null };
      const { head, rows } = found;
      const documents = [
        documentWrite(HEADS, { ...head, isDeleted: true }, head),
        documentWrite(ROWS, { ...rows, rows: null, isDeleted: true }, rows),
      ];
      const audited = [{ ...by, ...scope, ...entryOf('delete', head), before: head, after: null }];
      return { change: { ...emptyChange(scope, engine.clock.now(scope)), documents }, value: head, audited };
    },
  });
  return value === null ? notFound() : ok(value);
}

export const entryOf = (verb: string, { id }: Checkpoint) => ({
  action: `checkpoint.${verb}`,
  target: { type: 'checkpoint', id },
});

export const NO_SANDBOX = 'Checkpoints need a sandbox provider that can save and restore its operations.';
const OTHER_PROVIDER =
  'A payment of this sandbox is with a provider that cannot be restored. Let it end, or cancel it, and try again.';
const OTHER_QUOTE =
  'This sandbox has an open quote from a provider that cannot be restored. Use the quote or let it expire, and try again.';
export const NO_CUSTOMERS =
  'Checkpoints need a sandbox provider that can save and restore the payment methods of its customers.';
const OTHER_MASTER_KEY =
  'This checkpoint was saved under a master key that is no longer configured. Add it to the old master keys, or delete the checkpoint.';
const DAMAGED =
  'The stored rows of this checkpoint were altered or damaged, and cannot be decrypted. Delete the checkpoint.';
export const BUSY = 'Another process is running work of this sandbox; try again.';
export const TOO_LARGE: CheckpointRefusal = {
  code: 'too_large',
  message: `A checkpoint can contain at most ${CHECKPOINT_ROWS_MAX} each of sessions, payments, quotes, tasks and pending deliveries, and 4 MB in all. This sandbox has more, or more was added since.`,
};

function refused(code: CheckpointRefusal['code'], message: string) {
  return err<never, CheckpointRefusal>({ code, message });
}

export const notFound = () => refused('not_found', 'There is no such checkpoint.');
export const notAvailable = (message: string) => refused('not_available', message);
const tooLarge = () => err<never, CheckpointRefusal>(TOO_LARGE);

/**
 * Runs `work` while no process runs work of the sandbox. Steps of the same clock wait for each other, and are refused while another process
 * steps it.
 */
export function atRest<Value>(stepper: Stepper, { partnerId }: Scope, work: () => Done<Value>): Done<Value> {
  const resting = stepped(stepper, sandboxClock(stepper, partnerId), async () => {
    await stepper.engine.clock.refresh();
    return work();
  });
  return resting.catch((error: unknown) => {
    if (error instanceof TryAgain || error instanceof SteppedElsewhere) return refused('try_again', error.message);
    throw error;
  });
}

export async function loadCheckpoint(engine: Engine, scope: Scope, id: string) {
  const now = engine.clock.now(scope);
  const [head, rows] = await Promise.all([
    findKeptRow(engine.store, HEADS, scope, id, now),
    findKeptRow(engine.store, ROWS, scope, id, now),
  ]);
  return head === null || rows === null ? null : { head, rows };
}

/** The rows of a checkpoint, with those of the provider decrypted. */
export function openRows(
  { crypto }: Engine,
  { partnerId, mode, rows }: CheckpointRows,
): Result<SandboxRows, CheckpointRefusal> {
  if (rows === null) return notFound();
  const { sealedProvider, ...saved } = rows;
  try {
    // Written by `createCheckpoint`.
    const provider = JSON.parse(crypto.openSecret(sealedProvider, { partnerId, mode })) as SandboxState;
    return ok({ ...saved, provider });
  } catch (error) {
    return notAvailable(error instanceof MasterKeyMissingError ? OTHER_MASTER_KEY : DAMAGED);
  }
}

/** Reads until two reads are the same, so that a checkpoint never shows half of a commit. */
async function readTwice(engine: Engine, scope: Scope, control: SandboxControl): Done<SandboxRows> {
  let before = await readRows(engine, scope, control);
  for (let reads = 0; reads < READS_MAX && before.isOk(); reads += 1) {
    const after = await readRows(engine, scope, control);
    if (after.isOk() && JSON.stringify(before.value) === JSON.stringify(after.value)) return after;
    before = after;
  }
  if (before.isErr()) return before;
  throw new TryAgain('This sandbox is changing; try again.');
}

const READS_MAX = 3;

async function readRows(engine: Engine, scope: Scope, control: SandboxControl): Done<SandboxRows> {
  const { store, clock } = engine;
  const now = clock.now(scope);
  const sessions = await all((page) => store.list('session', scope, { ...NO_FILTER, ...SESSIONS }, page, now), idOf);
  const transactions = await all(
    (page) => store.list('transaction', scope, { ...NO_FILTER, ...PAYMENTS }, page),
    refOf,
  );
  const tasks = await pendingTasks(engine, scope);
  const waiting = await Promise.all(
    (['pending', 'retrying'] as const).map((status) =>
      all((page) => store.list('delivery', scope, { ...NO_FILTER, ...DELIVERIES, status }, page), deliveryId),
    ),
  );
  const [pending, retrying] = waiting;
  if (sessions === null || transactions === null || tasks === null || !pending || !retrying) return tooLarge();
  if (tasks.some((task) => isLeased(task, now))) throw new TryAgain(BUSY);
  const intents = await present(transactions, ({ intentId }) => store.find('intent', scope, intentId));
  const rails = intents.filter(({ sessionId }) => sessionId === null);
  const payments = await present(rails, (intent) => findPayment(engine, intent));
  const own = intents.filter(({ provider }) => provider === control.provider);
  if (intents.some((one) => isLive(one) && !own.includes(one))) return notAvailable(OTHER_PROVIDER);
  const operations: Record<string, string> = {};
  for (const { operationId, status } of own) {
    if (status === 'failed' || status === 'cancelled') continue;
    const saved = (await control.save?.(operationId)) ?? null;
    if (saved !== null) operations[operationId] = saved;
  }
  const deliveries = [...pending, ...retrying].map(({ delivery }) => delivery).filter((one) => one.parkedAt === null);
  const unused = await unusedQuotes(engine, scope, null);
  if (unused === null) return tooLarge();
  const isOwn = (quote: ExecutableQuote) => quote.provider === control.provider;
  if (unused.some((quote) => !isOwn(quote) && quoteStatus(quote, now) === 'open')) return notAvailable(OTHER_QUOTE);
  const customers = await customersOf(engine, control, sessions);
  if (customers === null) return notAvailable(NO_CUSTOMERS);
  const provider = { operations, customers };
  return ok({ sessions, intents, transactions, payments, tasks, deliveries, quotes: unused.filter(isOwn), provider });
}

/**
 * The unused quotes created at `since` or later. Null if there are more than a checkpoint can contain. Used quotes are never deleted: they
 * do not count, and only the last `QUOTE_OPEN_MAX` is read.
 */
export function unusedQuotes(
  { store, clock }: Engine,
  scope: Scope,
  since: Instant | null,
): Promise<readonly ExecutableQuote[] | null> {
  const createdAfter = Math.max(since ?? 0, clock.now(scope) - QUOTE_OPEN_MAX);
  const list: PageOf<ExecutableQuote> = (page) => listRows(store, quoteKind, scope, page, { createdAfter });
  return all(list, idOf, ({ usedBy }) => usedBy === null);
}

/** The longest time that a quote is assumed to be open. Providers guarantee prices for minutes, at most for days. */
const QUOTE_OPEN_MAX = 30 * DAY;

/** The saved payment methods of the buyers of these sessions. Null if the sandbox keeps some and cannot save them. */
async function customersOf(
  engine: Engine,
  control: SandboxControl,
  sessions: readonly Session[],
): Promise<SandboxState['customers'] | null> {
  const provider = engine.providers.find(({ name }) => name === control.provider);
  if (provider === undefined || !keepsMethods(provider)) return {};
  const customers: Record<string, string> = {};
  const buyers = new Map(sessions.filter(hasCustomer).map((session) => [session.userReference ?? '', session]));
  if (buyers.size > 0 && (control.saveCustomer === undefined || control.restoreCustomer === undefined)) return null;
  for (const [reference, session] of buyers) {
    const saved = await control.saveCustomer?.((await customerOf(engine, session, provider)) ?? '');
    if (saved !== undefined && saved !== null) customers[reference] = saved;
  }
  return customers;
}

export const NO_FILTER = { status: null, createdAfter: null, createdBefore: null } as const;
export const SESSIONS = { flow: null, currency: null, userReference: null } as const;
export const PAYMENTS = { flow: null, sessionId: null, userReference: null } as const;
const DELIVERIES = { target: null, eventType: null, eventId: null, sessionId: null } as const;

export const idOf = ({ id }: { readonly id: string }) => id;
export const refOf = ({ refid }: Transaction) => refid;
const deliveryId = ({ delivery }: { readonly delivery: Delivery }) => delivery.id;

type PageOf<Row> = (page: {
  readonly start: { readonly kind: 'newest' } | { readonly kind: 'after'; readonly id: string };
  readonly limit: number;
}) => Promise<readonly Row[]>;

/** The rows that pass `isWanted`, by default all. Null if there are more than a checkpoint can contain. */
export async function all<Row>(
  list: PageOf<Row>,
  nameOf: (row: Row) => string,
  isWanted: (row: Row) => boolean = () => true,
): Promise<readonly Row[] | null> {
  const rows: Row[] = [];
  let last: Row | undefined;
  for (;;) {
    const start = last === undefined ? ({ kind: 'newest' } as const) : ({ kind: 'after', id: nameOf(last) } as const);
    const read = await list({ start, limit: PAGE_LIMIT_MAX });
    const page = read.slice(0, PAGE_LIMIT_MAX);
    last = page.at(-1);
    rows.push(...page.filter(isWanted));
    if (rows.length > CHECKPOINT_ROWS_MAX) return null;
    if (read.length <= PAGE_LIMIT_MAX) return rows;
  }
}

export async function present<Key, Row>(
  keys: readonly Key[],
  find: (key: Key) => Promise<Row | null>,
): Promise<readonly Row[]> {
  return (await Promise.all(keys.map(find))).filter((row) => row !== null);
}

/** Null if there are more than a checkpoint can contain. */
export async function pendingTasks(engine: Engine, scope: Scope): Promise<readonly Task[] | null> {
  const items = await sandboxDue(engine, scope.partnerId, { kinds: ['tasks'], limit: CHECKPOINT_ROWS_MAX + 1 });
  if (items.length > CHECKPOINT_ROWS_MAX) return null;
  const tasks = await present(items, ({ id }) => engine.store.find('task', scope, id));
  return tasks.filter(({ status }) => status === 'pending');
}

/** The lease of a return on the tasks of the sandbox. If the return does not complete, other workers can claim them afterwards. */
const HOLD_MS = MINUTE;

/** The pending tasks of a sandbox, leased, so that no worker can record a result of theirs after a return has committed. */
export class HeldTasks {
  private readonly held = new Map<string, Task>();
  private readonly token: string;

  constructor(
    private readonly engine: Engine,
    private readonly scope: Scope,
  ) {
    this.token = engine.ids.uuid();
  }

  all(): readonly Task[] {
    return [...this.held.values()];
  }

  /** Leases all, including those added since. False if there are too many. Throws `TryAgain` while another process runs one. */
  async take(): Promise<boolean> {
    const { store, clock } = this.engine;
    const pending = await pendingTasks(this.engine, this.scope);
    if (pending === null) return false;
    const lease = { now: clock.now(this.scope), leaseMs: HOLD_MS, token: this.token, early: true };
    for (const { id } of pending.filter((task) => !this.held.has(task.id))) {
      const task = await store.claimOne('task', this.scope, id, lease);
      if (task !== null) this.held.set(id, task);
      else if ((await store.find('task', this.scope, id))?.status === 'pending') throw new TryAgain(BUSY);
    }
    return true;
  }

  /** Forgets the tasks, which the return has ended. */
  release(): void {
    this.held.clear();
  }

  /** Releases the tasks unchanged. After a crash they are free once the lease ends. */
  async giveBack(): Promise<void> {
    if (this.held.size === 0) return;
    const finishes = this.all().map((task) => ({
      row: { ...task, claims: Math.max(0, task.claims - 1), leaseToken: null, leaseUntil: null },
      leaseToken: this.token,
    }));
    this.held.clear();
    const change = { ...emptyChange(this.scope, this.engine.clock.now(this.scope)), finishes };
    await apply(this.engine, { load: async () => null, decide: () => ({ change, value: null }) });
  }
}
