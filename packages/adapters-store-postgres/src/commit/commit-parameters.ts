import type { Delivery } from '@gateramp/core/domain';
import type { Change, IdempotencyWrite } from '@gateramp/core/ports';
import { rowOfDelivery } from '../delivery-row.js';
import { reusableFrom } from './commit-outcomes.js';

/** The order of the function's parameters. */
const SECTIONS = [
  'keys',
  'marks',
  'sessions',
  'intents',
  'transactions',
  'movedSessions',
  'movedIntents',
  'movedTransactions',
  'documents',
  'movedDocuments',
  'endpoints',
  'replays',
  'events',
  'deliveries',
  'borrowedEvents',
  'tasks',
  'finishes',
  'counters',
] as const;

type Sections = Record<(typeof SECTIONS)[number], object[]>;

/** The number of sections that `commitParameters` returns. */
export const COMMIT_SECTIONS = SECTIONS.length;
export const COMMIT_PLACEHOLDERS = SECTIONS.map((_, index) => `$${index + 1}`).join(', ');

/** The arguments of a commit on one Postgres, with the events at their places. */
export function commitArguments(schema: string): string {
  return SECTIONS.map((name, index) =>
    name === 'events' ? `"${schema}".placed_events($${index + 1})` : `$${index + 1}`,
  ).join(', ');
}

/** Returns JSON for each section, null if it is empty. Every item has the number of its change. */
export function commitParameters(changes: readonly Change[]): readonly (string | null)[] {
  const sections = emptySections();
  for (const [m, change] of changes.entries()) collect(sections, m, change);
  // Calls that lock the same rows lock them in the same order.
  sortBy(sections.keys, 'hash');
  sortBy(sections.endpoints, 'partner');
  for (const name of [
    'movedSessions',
    'movedIntents',
    'movedTransactions',
    'movedDocuments',
    'replays',
    'finishes',
  ] as const)
    sortBy(sections[name], 'id');
  return SECTIONS.map((name) => (sections[name].length === 0 ? null : JSON.stringify(sections[name])));
}

/** The oldest consumer registry that a change was decided on; null if no change depends on one (nothing is newer than null). */
export function knownConsumers(changes: readonly Change[]): number | null {
  let oldest: number | null = null;
  for (const { consumers } of changes)
    if (consumers !== null && (oldest === null || consumers < oldest)) oldest = consumers;
  return oldest;
}

function collect(into: Sections, m: number, change: Change): void {
  const { now } = change;
  if (change.idempotency !== null) into.keys.push(keyOf(m, change, change.idempotency));
  for (const [n, mark] of change.once.entries()) into.marks.push({ m, n, mark });
  for (const { row, expectedVersion } of change.sessions)
    if (expectedVersion === null) into.sessions.push({ m, row });
    else into.movedSessions.push(movedRow(m, change, { id: row.id, expectedVersion, row }));
  for (const { row, expectedVersion } of change.intents)
    if (expectedVersion === null) into.intents.push({ m, row });
    else into.movedIntents.push(movedRow(m, change, { id: row.id, expectedVersion, row }));
  for (const { row, expectedVersion } of change.transactions)
    if (expectedVersion === null) into.transactions.push({ m, row });
    else into.movedTransactions.push(movedRow(m, change, { id: row.refid, expectedVersion, row }));
  for (const { row, expectedVersion: expected } of change.documents) {
    if (expected === null) into.documents.push({ m, ...row });
    else into.movedDocuments.push({ m, expected, ...row, ...change.scope });
  }
  for (const { row, expected } of change.endpoints)
    into.endpoints.push({ m, partner: change.scope.partnerId, mode: change.scope.mode, url: row.url, expected, row });
  for (const row of change.replays) into.replays.push({ m, ...replayOf(change, row) });
  for (const event of change.events) into.events.push({ m, ...event });
  for (const { row, when } of change.deliveries) {
    into.deliveries.push({ m, always: when === 'always', ...row, row: rowOfDelivery(row) });
    if (!change.events.some(({ id }) => id === row.eventId)) into.borrowedEvents.push({ m, id: row.eventId });
  }
  for (const row of change.tasks) into.tasks.push({ m, now, row });
  for (const { row, leaseToken } of change.finishes) into.finishes.push({ m, now, id: row.id, token: leaseToken, row });
  for (const [n, { name, delta, atLeast }] of change.counters.entries())
    into.counters.push({ m, n, name, delta, floor: atLeast });
}

function keyOf(m: number, change: Change, { kind, ref, state, expiresAt }: IdempotencyWrite): object {
  const content = state.kind === 'sealed' ? { reply: state.reply } : { resource: state.resourceId, task: state.taskId };
  const { mode } = change.scope;
  return {
    m,
    scope: ref.scope,
    hash: ref.keyHash,
    mode,
    print: ref.fingerprint,
    ...content,
    kind,
    now: change.now,
    expires: reusableFrom(expiresAt),
  };
}

function replayOf({ scope }: Change, row: Delivery): object {
  const { id, eventId: event, target, status, lane, dueAt, replayCount: replays } = row;
  const { partnerId: partner, mode } = scope;
  return { partner, mode, id, event, target, status, lane, dueAt, replays, row: rowOfDelivery(row) };
}

function movedRow(m: number, { scope }: Change, write: { id: string; expectedVersion: number; row: object }): object {
  const { id, expectedVersion: expected, row } = write;
  return { m, expected, partner: scope.partnerId, mode: scope.mode, id, row };
}

function emptySections(): Sections {
  // Contains exactly the names of the sections.
  return Object.fromEntries<object[]>(SECTIONS.map((name) => [name, []])) as Sections;
}

function sortBy(items: object[], name: 'hash' | 'id' | 'partner'): void {
  if (items.length > 1) items.sort((a, b) => (textOf(a, name) < textOf(b, name) ? -1 : 1));
}

function textOf(item: object, name: string): string {
  // Every item of these sections has a text under this name.
  return String((item as Record<string, unknown>)[name]);
}
