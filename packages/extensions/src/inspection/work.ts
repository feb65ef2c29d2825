import {
  type Delivery,
  type Instant,
  type Intent,
  isLeased,
  MINUTE,
  type Mode,
  MODES,
  type PageRequest,
  type Scope,
  scopeOf,
  SECOND,
  type Session,
  type Task,
} from '@gateramp/core/domain';
import {
  type Engine,
  type ExtensionContext,
  operatorOf,
  partnerIdProblems,
  throwIfAny,
} from '@gateramp/core/extension';
import { OVERDUE_MS, type UnfinishedWork } from '@gateramp/core/ports';
import { sandboxWork, type SandboxWork } from './sandbox-work.js';

/** A session, payment or task that does not advance. */
export interface StuckWork {
  readonly mode: Mode;
  readonly partnerId: string;
  readonly sessionId: string | null;
  readonly intentId: string | null;
  readonly transactionId: string | null;
  readonly operationId: string | null;
  readonly taskId: string | null;
  readonly attempts: number;
  readonly since: Instant;
  readonly ageSeconds: number;
  readonly nextAttemptAt: Instant | null;
  readonly reason: string;
}

/** Due work, and since when it has been due. */
export interface DueWork {
  readonly mode: Mode;
  readonly id: string;
  readonly partnerId: string;
  readonly claims: number;
  readonly dueAt: Instant;
  readonly ageSeconds: number;
  readonly leasedUntil: Instant | null;
  /** `delivery:` and its lane, or `task:` and its kind. */
  readonly kind: string;
  readonly attempts: number;
}

/** A bounded list of work. */
export interface WorkList<Item> {
  readonly data: readonly Item[];
  /** There is more than is listed. */
  readonly hasMore: boolean;
}

interface StuckQuery {
  readonly mode?: Mode;
  /** Only what has not advanced for this long; five minutes by default. */
  readonly olderThanMs?: number;
  readonly limit?: number;
  /** What the host knows about an operation of a provider that waits for an operator; null if it does not. */
  readonly explain?: (operationId: string) => Promise<string | null>;
}

/** Reads about work of all partners that is not done. They need the port `operator`, apart from `sandboxWork`. */
export interface WorkReads extends Pick<UnfinishedWork, 'parkedTasks' | 'countDeadLetters'> {
  /** Held sessions, payments over rails in processing, and stuck tasks of all partners, oldest first. */
  stuckWork(query?: StuckQuery): Promise<WorkList<StuckWork>>;
  /** Of each kind of work, the item that has been due the longest. With more than 1,000 due tasks, a kind may be missing. */
  oldestWork(mode?: Mode): Promise<WorkList<DueWork>>;
  /**
   * What is due next in a partner's sandbox, in the order in which advancing the test clock runs it. Sessions that expire are not work:
   * the next read ends them.
   */
  sandboxWork(partnerId: string, limit?: number): Promise<readonly SandboxWork[]>;
  /** Sessions of all partners whose money may be moving; the longest hold first. With more than `limit`, those that were created first. */
  heldSessions(mode: Mode, limit?: number): Promise<readonly Session[]>;
}

const LISTED_MAX = 100;

export function workReads({ engine, ready }: ExtensionContext): WorkReads {
  const { clock } = engine;
  return {
    stuckWork: async ({ mode, olderThanMs = 5 * MINUTE, limit = LISTED_MAX, explain } = {}) => {
      await ready();
      const found = await Promise.all(
        modesOf(mode).map((one) =>
          stuckIn(engine, one, { olderThanMs, limit, explain: explain ?? (async () => null) }),
        ),
      );
      const data = found
        .flatMap((one) => one.data)
        .filter(({ ageSeconds }) => ageSeconds * SECOND >= olderThanMs)
        .toSorted((one, other) => other.ageSeconds - one.ageSeconds);
      return { data: data.slice(0, limit), hasMore: data.length > limit || found.some(({ hasMore }) => hasMore) };
    },
    sandboxWork: async (partnerId, limit = LISTED_MAX) => {
      throwIfAny('sandboxWork received invalid arguments', partnerIdProblems(partnerId));
      return sandboxWork(engine, { partnerId, mode: 'test' }, Math.min(limit, LISTED_MAX));
    },
    oldestWork: async (mode) => {
      await ready();
      const operator = operatorOf(engine);
      const found = await Promise.all(
        modesOf(mode).map(async (one) => {
          const [deliveries, tasks] = await Promise.all([
            operator.queuedDeliveries(one, 1),
            operator.oldestTasks(one, latest(clock, one)),
          ]);
          const data = [
            ...deliveries.map((row) => dueWork(row, clock.now(row), `delivery:${row.lane}`, row.attemptsTotal)),
            ...tasks.tasks.map((row) => dueWork(row, clock.now(row), `task:${row.kind}`, row.failures)),
          ].filter(({ ageSeconds }) => ageSeconds >= 0);
          return { data, hasMore: tasks.hasMore };
        }),
      );
      const data = found.flatMap((one) => one.data).toSorted((one, other) => other.ageSeconds - one.ageSeconds);
      return { data, hasMore: found.some(({ hasMore }) => hasMore) };
    },
    heldSessions: async (mode, limit = LISTED_MAX) => operatorOf(engine).heldSessions(mode, limit),
    parkedTasks: async (mode, limit, partnerIds) => operatorOf(engine).parkedTasks(mode, limit, partnerIds),
    countDeadLetters: async (scopes, limit) => operatorOf(engine).countDeadLetters(scopes, limit),
  };
}

/** The first `limit` rows. The caller reads one more, which shows whether there are more. */
function firstOf<Row>(rows: readonly Row[], limit: number): WorkList<Row> {
  return { data: rows.slice(0, limit), hasMore: rows.length > limit };
}

function modesOf(mode: Mode | undefined): readonly Mode[] {
  return mode === undefined ? MODES : [mode];
}

/** The time of the sandbox that is furthest ahead in this mode: no work is due that is due later. */
function latest(clock: Engine['clock'], mode: Mode): Instant {
  return clock.ofMode(mode) + (mode === 'test' ? Math.max(0, ...clock.ahead().values()) : 0);
}

type StuckOptions = Required<Pick<StuckQuery, 'olderThanMs' | 'limit' | 'explain'>>;

async function stuckIn(engine: Engine, mode: Mode, options: StuckOptions): Promise<WorkList<StuckWork>> {
  const { store, clock } = engine;
  const operator = operatorOf(engine);
  const { limit, explain } = options;
  const held = firstOf(await operator.heldSessions(mode, limit + 1), limit);
  const items = await Promise.all(
    held.data.map(async (session) => {
      const scope = scopeOf(session);
      const now = clock.now(scope);
      const intent = session.intentId === null ? null : await store.find('intent', scope, session.intentId);
      const stepId = intent?.stepTaskId ?? null;
      const task = stepId === null ? null : await store.find('task', scope, stepId);
      return stuckWork({ scope, sessionId: session.id, intent, task, since: session.heldSince ?? now, now }, explain);
    }),
  );
  const listed = new Set(items.map(({ taskId }) => taskId));
  const stuck = firstOf(await operator.stuckTasks(mode, latest(clock, mode) - OVERDUE_MS, limit + 1), limit);
  // By the clock of its sandbox; the store compared with that of the one furthest ahead.
  const isStuck = (task: Task): boolean =>
    task.status === 'parked' || task.failures > 0 || task.dueAt < clock.now(task) - OVERDUE_MS;
  const tasks = stuck.data.filter((task) => !listed.has(task.id) && isStuck(task));
  const others = await Promise.all(
    tasks.map(async (task) => {
      const scope = scopeOf(task);
      const intent = await store.find('intent', scope, task.subjectId);
      const session = intent === null ? await store.find('session', scope, task.subjectId) : null;
      const sessionId = intent?.sessionId ?? session?.id ?? null;
      return stuckWork({ scope, sessionId, intent, task, since: task.createdAt, now: clock.now(scope) }, explain);
    }),
  );
  const known = new Set([...items, ...others].map(({ intentId }) => intentId));
  const payments = await processingPayments(engine, mode, options);
  const data = [...items, ...others, ...payments.filter(({ intentId }) => !known.has(intentId))];
  return { data, hasMore: held.hasMore || stuck.hasMore };
}

/** Payments over rails, which have no session that could be held, by the partners' lists of transactions. */
async function processingPayments(
  engine: Engine,
  mode: Mode,
  { olderThanMs, limit, explain }: StuckOptions,
): Promise<readonly StuckWork[]> {
  const { store, clock } = engine;
  const found: StuckWork[] = [];
  const filter = {
    status: 'processing',
    flow: null,
    sessionId: null,
    userReference: null,
    createdAfter: null,
  } as const;
  // Every id is greater than the empty one: oldest first.
  const page: PageRequest = { start: { kind: 'before', id: '' }, limit };
  for (const { id: partnerId } of await operatorOf(engine).partners()) {
    const scope = { partnerId, mode };
    const now = clock.now(scope);
    const createdBefore = now - olderThanMs + 1;
    for (const row of await store.list('transaction', scope, { ...filter, createdBefore }, page)) {
      if (row.sessionId !== null) continue;
      const intent = await store.find('intent', scope, row.intentId);
      found.push(await stuckWork({ scope, sessionId: null, intent, task: null, since: row.updatedAt, now }, explain));
    }
  }
  return found;
}

interface Stuck {
  readonly scope: Scope;
  readonly sessionId: string | null;
  readonly intent: Intent | null;
  readonly task: Task | null;
  readonly since: Instant;
  readonly now: Instant;
}

async function stuckWork(stuck: Stuck, explain: StuckOptions['explain']): Promise<StuckWork> {
  const { scope, sessionId, intent, task, since, now } = stuck;
  const known = intent === null ? null : await explain(intent.operationId);
  return {
    mode: scope.mode,
    partnerId: scope.partnerId,
    sessionId,
    intentId: intent?.id ?? null,
    transactionId: intent?.txRefid ?? null,
    operationId: intent?.operationId ?? null,
    taskId: task?.id ?? null,
    attempts: task === null ? 0 : task.failures,
    since,
    ageSeconds: Math.max(0, Math.round((now - since) / SECOND)),
    nextAttemptAt: task === null || task.status !== 'pending' ? null : task.dueAt,
    reason: known ?? reasonOf(stuck),
  };
}

/** The nearest cause: the task, then the provider's own progress. */
function reasonOf({ intent, task, now }: Stuck): string {
  const provider = intent === null ? '' : ` at ${intent.provider}`;
  if (task?.status === 'parked') return `${task.kind}${provider} was parked: ${task.claims} claims without a result`;
  if (task !== null && isLeased(task, now)) return `${task.kind}${provider} is running`;
  if (task !== null && task.failures > 0) return `${task.kind}${provider} has failed ${task.failures} times`;
  if (task !== null && task.dueAt < now - OVERDUE_MS) return `${task.kind}${provider} is due, and no worker runs it`;
  if (task !== null) return `${task.kind}${provider} has no outcome yet`;
  return intent === null ? 'Held without an intent' : `The payment is ${intent.status}${provider}`;
}

function dueWork(row: Delivery | Task, now: Instant, kind: string, attempts: number): DueWork {
  const { id, mode, partnerId, claims, dueAt, leaseToken, leaseUntil } = row;
  const since = dueAt ?? now;
  const isRunning = leaseToken !== null && leaseUntil !== null && leaseUntil > now;
  const ageSeconds = Math.floor((now - since) / SECOND);
  return {
    mode,
    id,
    partnerId,
    claims,
    dueAt: since,
    ageSeconds,
    leasedUntil: isRunning ? leaseUntil : null,
    kind,
    attempts,
  };
}
