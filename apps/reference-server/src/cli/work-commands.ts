import type { Mode, Scope } from '@gateramp/core';
import {
  type Delivery,
  type Intent,
  isLeased,
  MODES,
  type PageRequest,
  PAUSED_LANE,
  scopeOf,
  type Task,
} from '@gateramp/core/domain';
import type { DeliveryFilter, DeliveryRecord } from '@gateramp/core/ports';
import { findOperation, type Operation } from '@gateramp/provider-legs';
import { Option, type Command } from 'commander';
import { partnerNamed, withDatabase, type CommandContext } from './administration.js';
import { readDuration, readLimit, readMode } from './options.js';
import { moment, printJson, printNote, printTable, span } from './print.js';

/** Work that is due for this long without being claimed is listed as stuck. */
const OVERDUE_MS = 30_000;
/** Deliveries read at once while looking for those in one state. */
const PAGE = 500;

interface Listing {
  readonly mode?: Mode;
  readonly limit: number;
  readonly json?: boolean;
}

/** What an operator looks at when something does not move: sessions, deliveries, and the oldest due work. */
export function addWorkCommands(gate: Command): void {
  const sessions = gate.command('sessions').description('Find sessions and payments whose work does not advance');
  withListing(sessions.command('stuck'))
    .description(
      'List held sessions, payments over rails in processing, and stuck tasks, oldest first: why, since when, and what happens next',
    )
    .option(
      '--older-than <time>',
      'only what has not advanced for this long: 90s, 5m, 24h or 30d',
      readDuration,
      300_000,
    )
    .action(async ({ json = false, ...query }: Listing & { olderThan: number }) => {
      const found = await withDatabase((context) => stuckWork(context, query));
      if (json) return printJson(found);
      if (found.length === 0) return printNote('Nothing is stuck.');
      printTable(
        ['AGE', 'MODE', 'PARTNER', 'SESSION', 'TRANSACTION', 'TASK', 'NEXT ATTEMPT', 'REASON'],
        found.map((one) => [
          span(one.ageSeconds),
          one.mode,
          one.partnerId,
          one.sessionId ?? '-',
          one.transactionId ?? '-',
          one.taskId ?? '-',
          one.nextAttemptAt ?? '-',
          one.reason,
        ]),
      );
    });

  const deliveries = gate.command('deliveries').description('Find webhook and consumer deliveries by their state');
  withListing(deliveries.command('list'))
    .description('List deliveries in one state. Pending and paused ones by due time, the others newest first')
    .addOption(
      new Option('--state <state>', 'pending includes retries; parked ones wait for an operator')
        .choices(STATES)
        .default('pending'),
    )
    .option('--partner <id>', 'only those of this partner')
    .action(async ({ json = false, ...query }: DeliveryListing) => {
      const { found, hasMore } = await withDatabase((context) => deliveriesIn(context, query));
      if (hasMore) printNote(`There are more than ${query.limit}. Pass a higher --limit.`);
      if (json) return printJson(found);
      printTable(
        ['ID', 'MODE', 'PARTNER', 'EVENT', 'TARGET', 'ATTEMPTS', 'NEXT ATTEMPT', 'CREATED', 'LAST RESULT'],
        found.map((one) => [
          one.id,
          one.mode,
          one.partnerId,
          one.eventType,
          one.target,
          String(one.attempts),
          one.nextAttemptAt ?? '-',
          one.createdAt,
          String(one.lastError ?? one.lastResponseStatus ?? '-'),
        ]),
      );
    });

  gate
    .command('work')
    .description('Look at due work')
    .command('oldest')
    .description('Show the item of each kind of work that has been due the longest')
    .option('--mode <test|live>', 'only this mode', readMode)
    .option('--json', 'print JSON')
    .action(async ({ mode, json = false }: Pick<Listing, 'mode' | 'json'>) => {
      const found = await withDatabase((context) => oldestWork(context, mode));
      if (json) return printJson(found);
      if (found.length === 0) return printNote('Nothing is due.');
      printTable(
        ['KIND', 'MODE', 'DUE FOR', 'ID', 'PARTNER', 'ATTEMPTS', 'CLAIMS', 'DUE SINCE', 'LEASED UNTIL'],
        found.map((one) => [
          one.kind,
          one.mode,
          span(one.ageSeconds),
          one.id,
          one.partnerId,
          String(one.attempts),
          String(one.claims),
          one.dueAt,
          one.leasedUntil ?? '-',
        ]),
      );
    });
}

function withListing(command: Command): Command {
  return command
    .option('--mode <test|live>', 'only this mode', readMode)
    .option('--limit <n>', 'maximum number', readLimit, 100)
    .option('--json', 'print JSON');
}

function modesOf(mode: Mode | undefined): readonly Mode[] {
  return mode === undefined ? MODES : [mode];
}

/** A session or task that does not advance. */
interface StuckItem {
  readonly mode: Mode;
  readonly partnerId: string;
  readonly sessionId: string | null;
  readonly intentId: string | null;
  readonly transactionId: string | null;
  readonly operationId: string | null;
  readonly taskId: string | null;
  readonly attempts: number;
  readonly since: string;
  readonly ageSeconds: number;
  readonly nextAttemptAt: string | null;
  readonly reason: string;
}

async function stuckWork(
  context: CommandContext,
  { mode, limit, olderThan }: Listing & { readonly olderThan: number },
): Promise<readonly StuckItem[]> {
  const { operator, clock } = context;
  const found = await Promise.all(
    modesOf(mode).map(async (one) => {
      const now = clock.now(one);
      const held = await operator.heldSessions(one, limit);
      const items = await Promise.all(
        held.map(async (session) => {
          const { intentId, id, heldSince } = session;
          const scope = scopeOf(session);
          const intent = intentId === null ? null : await context.store.find('intent', scope, intentId);
          const stepId = intent?.stepTaskId ?? null;
          const task = stepId === null ? null : await context.store.find('task', one, stepId);
          return stuckItem(context, { scope, sessionId: id, intent, task, since: heldSince ?? now, now });
        }),
      );
      const listed = new Set(items.map(({ taskId }) => taskId));
      const tasks = (await operator.stuckTasks(one, now - OVERDUE_MS, limit)).filter(({ id }) => !listed.has(id));
      const others = await Promise.all(
        tasks.map(async (task) => {
          const scope = scopeOf(task);
          const intent = await context.store.find('intent', scope, task.subjectId);
          const session = intent === null ? await context.store.find('session', scope, task.subjectId) : null;
          const sessionId = intent?.sessionId ?? session?.id ?? null;
          return stuckItem(context, { scope, sessionId, intent, task, since: task.createdAt, now });
        }),
      );
      const known = new Set([...items, ...others].map(({ intentId }) => intentId));
      const payments = await processingPayments(context, one, { now, olderThan, limit });
      return [...items, ...others, ...payments.filter(({ intentId }) => !known.has(intentId))];
    }),
  );
  return found
    .flat()
    .filter(({ ageSeconds }) => ageSeconds * 1_000 >= olderThan)
    .toSorted((one, other) => other.ageSeconds - one.ageSeconds)
    .slice(0, limit);
}

/** Payments over rails, which have no session that could be held, by the partners' lists of transactions. */
async function processingPayments(
  context: CommandContext,
  mode: Mode,
  { now, olderThan, limit }: { readonly now: number; readonly olderThan: number; readonly limit: number },
): Promise<readonly StuckItem[]> {
  const { operator, store } = context;
  const found: StuckItem[] = [];
  const filter = {
    status: 'processing',
    flow: null,
    sessionId: null,
    userReference: null,
    createdAfter: null,
  } as const;
  // Every id is greater than the empty one: oldest first.
  const page: PageRequest = { start: { kind: 'before', id: '' }, limit };
  for (const { id: partnerId } of await operator.partners()) {
    const scope = { partnerId, mode };
    const rows = await store.list('transaction', scope, { ...filter, createdBefore: now - olderThan + 1 }, page);
    for (const { sessionId, intentId, updatedAt } of rows) {
      if (sessionId !== null) continue;
      const intent = await store.find('intent', scope, intentId);
      found.push(await stuckItem(context, { scope, sessionId, intent, task: null, since: updatedAt, now }));
    }
  }
  return found;
}

interface Stuck {
  readonly scope: Scope;
  readonly sessionId: string | null;
  readonly intent: Intent | null;
  readonly task: Task | null;
  readonly since: number;
  readonly now: number;
}

async function stuckItem({ legsStore }: CommandContext, stuck: Stuck): Promise<StuckItem> {
  const { scope, sessionId, intent, task, since, now } = stuck;
  const operation = intent === null ? null : await findOperation(legsStore, intent.operationId);
  return {
    mode: scope.mode,
    partnerId: scope.partnerId,
    sessionId,
    intentId: intent?.id ?? null,
    transactionId: intent?.txRefid ?? null,
    operationId: intent?.operationId ?? null,
    taskId: task?.id ?? null,
    attempts: task === null ? 0 : task.failures,
    since: moment(since),
    ageSeconds: Math.max(0, Math.round((now - since) / 1_000)),
    nextAttemptAt: task === null || task.status !== 'pending' ? null : moment(task.dueAt),
    reason: reasonOf(stuck, operation),
  };
}

/** The nearest cause: an operation that waits for the operator, then the task, then the provider's own progress. */
function reasonOf({ intent, task, now }: Stuck, operation: Operation | null): string {
  if (operation?.state.kind === 'stuck')
    return `The operation is stuck at ${operation.state.step} (${operation.state.reason}). Run: gate operations show ${operation.operationId}`;
  const provider = intent === null ? '' : ` at ${intent.provider}`;
  if (task?.status === 'parked') return `${task.kind}${provider} was parked: ${task.claims} claims without a result`;
  if (task !== null && isLeased(task, now)) return `${task.kind}${provider} is running`;
  if (task !== null && task.failures > 0) return `${task.kind}${provider} has failed ${task.failures} times`;
  if (task !== null && task.dueAt < now - OVERDUE_MS) return `${task.kind}${provider} is due, and no worker runs it`;
  if (task !== null) return `${task.kind}${provider} has no outcome yet`;
  return intent === null ? 'Held without an intent' : `The payment is ${intent.status}${provider}`;
}

const STATES = ['pending', 'paused', 'parked', 'dead'] as const;

interface DeliveryListing extends Listing {
  readonly state: (typeof STATES)[number];
  readonly partner?: string;
}

async function deliveriesIn(context: CommandContext, { state, partner, mode, limit }: DeliveryListing) {
  const { operator, store } = context;
  const known = partner === undefined ? null : await partnerNamed(store, partner);
  const found: Delivery[] = [];
  for (const one of modesOf(mode)) {
    if (state === 'pending' || state === 'paused') {
      const queued = await operator.queuedDeliveries(one, limit + 1, known?.id ?? null);
      found.push(...queued.filter(({ lane }) => (lane === PAUSED_LANE) === (state === 'paused')));
      continue;
    }
    const partners = known === null ? await operator.partners() : [known];
    for (const { id: partnerId } of partners) {
      if (found.length > limit) break;
      found.push(...(await endedOrParked(context, { partnerId, mode: one }, state, limit + 1 - found.length)));
    }
  }
  if (state === 'pending' || state === 'paused') found.sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0));
  return { found: found.slice(0, limit).map(deliveryFields), hasMore: found.length > limit };
}

async function endedOrParked(
  { store }: CommandContext,
  scope: Scope,
  state: 'parked' | 'dead',
  limit: number,
): Promise<readonly Delivery[]> {
  const filter: DeliveryFilter = {
    target: null,
    status: state === 'dead' ? 'dead_lettered' : 'retrying',
    eventType: null,
    eventId: null,
    sessionId: null,
    createdAfter: null,
    createdBefore: null,
  };
  const found: Delivery[] = [];
  let start: PageRequest['start'] | null = { kind: 'newest' };
  while (start !== null && found.length < limit) {
    const page: readonly DeliveryRecord[] = await store.list('delivery', scope, filter, { start, limit: PAGE });
    const rows = page.slice(0, PAGE).map(({ delivery }) => delivery);
    found.push(...rows.filter(({ parkedAt }) => state === 'dead' || parkedAt !== null));
    const last = rows.at(-1);
    start = last === undefined || page.length <= PAGE ? null : { kind: 'after', id: last.id };
  }
  return found.slice(0, limit);
}

/** Never the URL, which may contain credentials of the partner. */
function deliveryFields(delivery: Delivery) {
  const { id, mode, partnerId, sessionId, eventId, eventType, target, status, lane, replayCount } = delivery;
  return {
    id,
    mode,
    partnerId,
    sessionId,
    eventId,
    eventType,
    target,
    status,
    isPaused: lane === PAUSED_LANE,
    attempts: delivery.attemptsTotal,
    replayCount,
    nextAttemptAt: delivery.dueAt === null || delivery.parkedAt !== null ? null : moment(delivery.dueAt),
    parkedAt: delivery.parkedAt === null ? null : moment(delivery.parkedAt),
    createdAt: moment(delivery.createdAt),
    lastResponseStatus: delivery.lastResponseStatus,
    lastError: delivery.lastError,
  };
}

async function oldestWork({ operator, clock }: CommandContext, mode: Mode | undefined) {
  const found = await Promise.all(
    modesOf(mode).map(async (one) => {
      const now = clock.now(one);
      const [deliveries, tasks] = await Promise.all([
        operator.queuedDeliveries(one, 1),
        operator.oldestTasks(one, now),
      ]);
      return [
        ...deliveries.map((row) => ({
          ...workFields(row, now),
          kind: `delivery:${row.lane}`,
          attempts: row.attemptsTotal,
        })),
        ...tasks.map((row) => ({ ...workFields(row, now), kind: `task:${row.kind}`, attempts: row.failures })),
      ].filter(({ ageSeconds }) => ageSeconds >= 0);
    }),
  );
  return found.flat().toSorted((one, other) => other.ageSeconds - one.ageSeconds);
}

function workFields({ id, mode, partnerId, claims, dueAt, leaseToken, leaseUntil }: Delivery | Task, now: number) {
  const since = dueAt ?? now;
  return {
    mode,
    id,
    partnerId,
    claims,
    dueAt: moment(since),
    ageSeconds: Math.floor((now - since) / 1_000),
    leasedUntil: leaseToken === null || leaseUntil === null || leaseUntil <= now ? null : moment(leaseUntil),
  };
}
