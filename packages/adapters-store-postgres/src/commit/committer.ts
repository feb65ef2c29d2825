import { decimal } from '@gateramp/core/domain';
import { type AuditWrite, type Change, type CommitOutcome, refuseRepeats } from '@gateramp/core/ports';
import { Batcher, type BatchResult } from '../batcher.js';
import type { Database } from '../database.js';
import type { CommitCall, Distribution } from '../distribution/distribution.js';
import { codeOf, isConflict, isLockTimeout, isOutage } from '../errors.js';
import { type CommitAnswer, commitOutcomes } from './commit-outcomes.js';
import {
  COMMIT_PLACEHOLDERS,
  COMMIT_SECTIONS,
  commitArguments,
  commitParameters,
  knownConsumers,
} from './commit-parameters.js';
import { hasNewRowsOnly, NEW_ROWS_PLACEHOLDERS, newRowsParameters } from './new-rows.js';

/** The tries of one change against others that keep interfering; it is then reported as stale, which is always correct. */
const TRIES_MAX = 4;

const UNDONE = 'GR001';

interface CommitOptions {
  readonly schema: string;
  /** With one, a statement commits changes of one partner. */
  readonly distribution: Distribution | null;
  readonly slots: number;
  readonly batchMax: number;
  readonly onBatch: (commits: number) => void;
}

/** Commits changes, several in one statement when they arrive faster than statements return. */
export function batchedCommit(database: Database, options: CommitOptions): (change: Change) => Promise<CommitOutcome> {
  const { schema, distribution } = options;
  const text = `"${schema}".commit_changes(${commitArguments(schema)})::text`;
  const call =
    distribution?.commits(database, schema) ?? callOfMany(database, ifCurrent(schema, text, COMMIT_PLACEHOLDERS));
  const insert = ifCurrent(schema, `"${schema}".commit_new_rows(${NEW_ROWS_PLACEHOLDERS})`, NEW_ROWS_PLACEHOLDERS);
  const fold = new Batcher<Change, CommitOutcome>({
    run: (changes) => {
      options.onBatch(changes.length);
      const full = (batch: readonly Change[]) => commitAll(call, batch);
      return distribution === null && changes.every(hasNewRowsOnly)
        ? commitNewRows(database, insert, changes, full)
        : full(changes);
    },
    contends,
    kindOf: (change) => (distribution !== null ? change.scope.partnerId : hasNewRowsOnly(change) ? 'new rows' : 'any'),
    slots: options.slots,
    batchMax: options.batchMax,
  });
  const single = auditedCommit(database, options);
  return async (change) => {
    assertValidChange(change);
    return change.audit === null ? fold.add(change) : single(change, change.audit);
  };
}

/** Commits one change with its audit entries. Rare, and all of them contend for the end of the trail, so none joins a batch. */
function auditedCommit(
  database: Database,
  { schema, distribution }: Pick<CommitOptions, 'schema' | 'distribution'>,
): (change: Change, audit: AuditWrite) => Promise<CommitOutcome> {
  const text = `"${schema}".commit_audited($${COMMIT_SECTIONS + 2}, ${commitArguments(schema)})::text`;
  const call =
    distribution?.commits(database, schema) ?? callOfMany(database, ifCurrent(schema, text, COMMIT_PLACEHOLDERS));
  return (change, audit) => untilClear(async () => outcomeOf(change, await call([change], audit)));
}

type CommitBatch = (changes: readonly Change[]) => Promise<readonly BatchResult<CommitOutcome>[]>;

/** Writes new rows in one statement. If a change was not written, the full commit determines the reason. */
async function commitNewRows(
  database: Database,
  insert: string,
  changes: readonly Change[],
  full: CommitBatch,
): Promise<readonly BatchResult<CommitOutcome>[]> {
  const refused = await refusedOf(database, insert, changes);
  if (refused === 'all') return full(changes);
  const results = changes.map((): BatchResult<CommitOutcome> => ({
    status: 'fulfilled',
    value: { kind: 'committed' },
  }));
  if (refused.length === 0) return results;
  const outcomes = await full(changes.filter((_, nth) => refused.includes(nth + 1)));
  return results.map((result, nth) => outcomes[refused.indexOf(nth + 1)] ?? result);
}

/** The numbers of changes that were not written, from 1, ascending. */
async function refusedOf(
  database: Database,
  insert: string,
  changes: readonly Change[],
): Promise<readonly number[] | 'all'> {
  try {
    const parameters = [...newRowsParameters(changes), knownConsumers(changes)];
    const [row] = await database.query<{ answer: readonly number[] | null }>(insert, parameters);
    if (row === undefined) throw new Error('commit_new_rows answered nothing.');
    return row.answer === null ? 'all' : [...row.answer].sort((a, b) => a - b);
  } catch (error) {
    if (isOutage(error) && !isLockTimeout(error)) throw error;
    // A row exists already, another writer interfered, or a value is outside the range of Postgres: nothing was written.
    return 'all';
  }
}

/**
 * Commits each change separately in the caller's transaction, where conflicts must be results rather than errors. An error has already
 * aborted the transaction, so nothing is retried.
 */
export function quietCommit(
  database: Database,
  options: Pick<CommitOptions, 'schema' | 'distribution'>,
): (change: Change) => Promise<CommitOutcome> {
  const { schema, distribution } = options;
  const text = `"${schema}".commit_changes_quietly(${commitArguments(schema)})::text`;
  const call =
    distribution?.commits(database, schema) ?? callOfMany(database, ifCurrent(schema, text, COMMIT_PLACEHOLDERS));
  const audited = auditedCommit(database, options);
  return async (change) => {
    assertValidChange(change);
    if (change.audit !== null) return audited(change, change.audit);
    return untilClear(async () => outcomeOf(change, await call([change])));
  };
}

/**
 * A call that takes effect only if no consumer was registered or removed since the oldest decision. The registry known at that time
 * is the parameter after those of the call.
 */
function ifCurrent(schema: string, call: string, placeholders: string): string {
  const known = `$${placeholders.split(', ').length + 1}::bigint`;
  return `select is_current, case when is_current then ${call} end as answer
    from (select not exists (select from "${schema}".consumers where version > ${known}) as is_current offset 0) known`;
}

function callOfMany(database: Database, text: string): CommitCall {
  return async (changes, audit) => {
    const parameters = [...commitParameters(changes), knownConsumers(changes), ...auditParameters(audit)];
    const [row] = await database.query<{ is_current: boolean; answer: string | null }>(text, parameters);
    if (row === undefined) throw new Error('commit_changes answered nothing.');
    return row.is_current ? answerOf(row) : { undone: 'stale' };
  };
}

/** The parameter of the audit entries of a change, if it has any. */
export function auditParameters(audit: AuditWrite | undefined): readonly string[] {
  return audit === undefined ? [] : [JSON.stringify(audit)];
}

/** Parses the answer of a commit function. */
export function answerOf({ answer }: { readonly answer: string | null }): CommitAnswer {
  // The functions generate this JSON in the shape of CommitAnswer.
  return answer === null ? null : (JSON.parse(answer) as CommitAnswer);
}

/** Splits a batch that failed because of one invalid change, so that the other changes are unaffected. */
async function commitAll(call: CommitCall, changes: readonly Change[]): Promise<readonly BatchResult<CommitOutcome>[]> {
  const outcomes = await tryTogether(call, changes);
  const results: BatchResult<CommitOutcome>[] = [];
  for (const [nth, change] of changes.entries()) {
    const outcome = outcomes?.[nth] ?? null;
    results.push(outcome === null ? await resultOf(commitOne(call, change)) : { status: 'fulfilled', value: outcome });
  }
  return results;
}

/** Null if the statement failed without effect; an outage rejects the whole batch. */
async function tryTogether(
  call: CommitCall,
  changes: readonly Change[],
): Promise<readonly (CommitOutcome | null)[] | null> {
  if (changes.length === 1) return null;
  try {
    const answer = await call(changes);
    return isUndone(answer) ? null : commitOutcomes(changes, answer);
  } catch (error) {
    if (isOutage(error) && !isLockTimeout(error)) throw error;
    return null;
  }
}

function commitOne(call: CommitCall, change: Change): Promise<CommitOutcome> {
  return untilClear(() => tryOne(call, change));
}

async function untilClear(tryOnce: () => Promise<CommitOutcome | null>): Promise<CommitOutcome> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const tried = await tryOnce();
    if (tried !== null) return tried;
  }
  return { kind: 'stale' };
}

/** Null if the change must be retried. */
async function tryOne(call: CommitCall, change: Change): Promise<CommitOutcome | null> {
  try {
    return outcomeOf(change, await call([change]));
  } catch (error) {
    if (codeOf(error) === UNDONE && error instanceof Error) return ofUndone(error.message);
    if (isConflict(error)) return null;
    throw error;
  }
}

function outcomeOf(change: Change, answer: CommitAnswer): CommitOutcome | null {
  if (isUndone(answer)) return ofUndone(answer.undone);
  return commitOutcomes([change], answer)[0] ?? null;
}

/** An id that exists already means stale; other conflicting rows are visible to the next try. */
function ofUndone(reason: string): CommitOutcome | null {
  return reason === 'stale' ? { kind: 'stale' } : null;
}

function isUndone(answer: CommitAnswer): answer is { readonly undone: string } {
  return answer !== null && 'undone' in answer;
}

/** Rows and names that two changes may contend for. New ids are unique to their change. */
function contends(change: Change): readonly string[] {
  const names: string[] = [];
  if (change.idempotency !== null) names.push(`key ${change.idempotency.ref.scope} ${change.idempotency.ref.keyHash}`);
  for (const mark of change.once) names.push(`mark ${mark}`);
  for (const { row, expectedVersion } of change.sessions) if (expectedVersion !== null) names.push(`session ${row.id}`);
  for (const { row, expectedVersion } of change.intents) if (expectedVersion !== null) names.push(`intent ${row.id}`);
  for (const { row, expectedVersion } of change.transactions)
    if (expectedVersion !== null) names.push(`transaction ${row.refid}`);
  // Some documents have given rather than generated ids, so even a new id may be used by another change.
  for (const { row } of change.documents)
    names.push(`${row.noun} ${change.scope.partnerId} ${change.scope.mode} ${row.id}`);
  for (const { id } of change.replays) names.push(`delivery ${id}`);
  for (const { row } of change.endpoints) names.push(`endpoint ${row.partnerId} ${row.mode}`);
  for (const { row } of change.finishes) names.push(`task ${row.id}`);
  return names;
}

async function resultOf<Value>(work: Promise<Value>): Promise<BatchResult<Value>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

/**
 * Throws for a row that is named twice, and for a move that is not a number: these are bugs in the creation of the change, never `stale`.
 */
function assertValidChange(change: Change): void {
  refuseRepeats(change);
  for (const { delta, atLeast } of change.counters) decimal.add(delta, atLeast ?? '0');
}
