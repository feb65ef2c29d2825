import type { Mode, Scope } from '@gateramp/core';
import { type Delivery, MODES, type PageRequest, PAUSED_LANE } from '@gateramp/core/domain';
import type { DeliveryFilter, DeliveryRecord } from '@gateramp/core/ports';
import { findOperation } from '@gateramp/provider-legs';
import { Option, type Command } from 'commander';
import { partnerNamed, withDatabase, type CommandContext } from './administration.js';
import { readDuration, readLimit, readMode } from './options.js';
import { addProcessesCommand } from './processes-command.js';
import { moment, printResult, printNote, printTable, span } from './print.js';

/** Deliveries read at once while looking for those in one state. */
const PAGE = 500;

interface Listing {
  readonly mode?: Mode;
  readonly limit: number;
}

/** What an operator looks at when something does not move: sessions, deliveries, and the oldest due work. */
export function addWorkCommands(gate: Command): void {
  const sessions = gate.command('sessions').description('Find sessions and payments that are stuck');
  withListing(sessions.command('stuck'))
    .description(
      'List held sessions, rails payments in processing and stuck tasks, oldest first, with the reason and the next attempt',
    )
    .option(
      '--older-than <time>',
      'only items that have been stuck for this long: 90s, 5m, 24h or 30d',
      readDuration,
      300_000,
    )
    .action(async ({ ...query }: Listing & { olderThan: number }) => {
      const { found, hasMore } = await withDatabase((context) => stuckWork(context, query));
      if (hasMore)
        printNote(
          `More items than the ${found.length} shown are stuck, and some may be older. Pass a higher --limit, or --mode.`,
        );
      printResult(found);
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

  const deliveries = gate.command('deliveries').description('Find webhook and consumer deliveries by state');
  withListing(deliveries.command('list'))
    .description('List deliveries in one state. Pending and paused ones by due time, the others newest first')
    .addOption(
      new Option('--state <state>', 'pending includes retries; parked ones wait for an operator')
        .choices(STATES)
        .default('pending'),
    )
    .option('--partner <id>', 'only those of this partner')
    .action(async ({ ...query }: DeliveryListing) => {
      const { found, hasMore } = await withDatabase((context) => deliveriesIn(context, query));
      if (hasMore) printNote(`There are more than ${query.limit}. Pass a higher --limit.`);
      printResult(found);
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

  const work = gate.command('work').description('Inspect due work and the processes that do it');
  addProcessesCommand(work);
  work
    .command('oldest')
    .description('Show the oldest due item of each kind of work')
    .option('--mode <test|live>', 'only this mode', readMode)
    .action(async ({ mode }: Pick<Listing, 'mode'>) => {
      const { found, hasMore } = await withDatabase((context) => oldestWork(context, mode));
      if (hasMore)
        printNote(
          'More than 1,000 tasks of a mode are due. Kinds of task that have been due for less time are not shown.',
        );
      printResult(found);
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
    .option('--limit <n>', 'maximum number', readLimit, 100);
}

function modesOf(mode: Mode | undefined): readonly Mode[] {
  return mode === undefined ? MODES : [mode];
}

async function stuckWork(
  { admin, legsStore }: CommandContext,
  { mode, limit, olderThan }: Listing & { readonly olderThan: number },
) {
  const { data, hasMore } = await admin.stuckWork({
    limit,
    olderThanMs: olderThan,
    ...(mode === undefined ? {} : { mode }),
    explain: async (operationId) => {
      const operation = await findOperation(legsStore, operationId);
      if (operation?.state.kind !== 'stuck') return null;
      const { step, reason } = operation.state;
      return `The operation is stuck at ${step} (${reason}). Run: gate operations show ${operationId}`;
    },
  });
  const found = data.map((one) => ({
    ...one,
    since: moment(one.since),
    nextAttemptAt: one.nextAttemptAt === null ? null : moment(one.nextAttemptAt),
  }));
  return { found, hasMore };
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

async function oldestWork({ admin }: CommandContext, mode: Mode | undefined) {
  const { data, hasMore } = await admin.oldestWork(mode);
  const found = data.map((one) => ({
    ...one,
    dueAt: moment(one.dueAt),
    leasedUntil: one.leasedUntil === null ? null : moment(one.leasedUntil),
  }));
  return { found, hasMore };
}
