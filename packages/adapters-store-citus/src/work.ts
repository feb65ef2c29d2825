import type { Mode } from '@gateramp/core';
import {
  endedAt,
  endpointResult,
  freeAt,
  MODES,
  PAUSED_LANE,
  type Instant,
  type Lane,
  type Task,
} from '@gateramp/core/domain';
import type {
  Claims,
  DeliveryClaim,
  DeliveryOutcome,
  DueItem,
  SandboxDue,
  WorkKind,
  WorkStore,
  WorkTime,
} from '@gateramp/core/ports';
import {
  Batcher,
  type BatchResult,
  CLAIM_COLUMNS,
  claimedOf,
  type Database,
  type DeliveryClaimRow,
  nowOf,
  type RecordOptions,
  rowOfDelivery,
} from '@gateramp/adapters-store-postgres/distribution';
import { claimsOfOne } from './one-item.js';

/**
 * Work on distributed tables. Due items are read from all nodes without locks, and then leased by statements of one partner each, which
 * skip items that another worker has leased since. Each claim reads the whole backlog.
 */
export function workOfPartners(database: Database, schema: string, recording: RecordOptions): WorkStore {
  const ofOne = claimsOfOne(database, schema);
  const claims: Claims = { task: taskClaims(database, schema), delivery: deliveryClaims(database, schema) };
  const records = recordsOfPartner(database, schema, recording);
  return {
    claim: (kind, request) => claims[kind](request),
    claimOne: (kind, ...args) => ofOne[kind](...args),
    recordDelivery: (outcome) => records.add(outcome),
    nextDue: nextDue(database, schema),
    sandboxesDue: sandboxesDue(database, schema),
  };
}

/** A claim looks again if other workers took what it had found, up to this number of looks. */
const ROUNDS_MAX = 8;

/** The clock of a mode, for all partners without a clock of their own, or that of one sandbox. */
interface Clock {
  readonly mode: Mode;
  readonly now: Instant;
  readonly sandbox: string | null;
}

function clocksOf({ now, sandboxes = new Map() }: WorkTime): readonly Clock[] {
  return [
    ...MODES.map((mode) => ({ mode, now: now[mode], sandbox: null })),
    ...[...sandboxes].map(([sandbox, at]) => ({ mode: 'test' as const, now: at, sandbox })),
  ];
}

/** A condition, and the value of its parameter `$3`. */
function partnersOf({ mode, sandbox }: Clock, { sandboxes = new Map() }: WorkTime): readonly [string, unknown] {
  if (sandbox !== null) return ['partner_id = $3', sandbox];
  return ['partner_id <> all ($3::text[])', mode === 'test' ? [...sandboxes.keys()] : []];
}

interface Candidate {
  readonly id: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly now: Instant;
  readonly lateMs: number;
}

interface CandidateRow {
  readonly id: string;
  readonly partner_id: string;
  readonly free_at: string;
}

interface LeasedTaskRow {
  readonly id: string;
  readonly row: string;
  readonly claims: number;
}

function taskClaims(database: Database, schema: string): Claims['task'] {
  const due = (ofPartners: string) => `select id, partner_id, free_at from "${schema}".tasks
    where mode = $1 and free_at <= $2 and ${ofPartners} order by free_at, id limit $4`;
  const lease = `with free as materialized (
      select id from "${schema}".tasks where partner_id = $1 and id = any ($2) and free_at <= $3 order by id for no key update skip locked)
    update "${schema}".tasks t set lease_token = $5, lease_until = $3::bigint + $4::bigint, free_at = $3::bigint + $4::bigint, claims = t.claims + 1
    from free where t.partner_id = $1 and t.id = free.id
    returning t.id, t.row::text as row, t.claims`;
  return async (request) => {
    const { limit, leaseMs, token } = request;
    const claimed: { readonly candidate: Candidate; readonly task: Task }[] = [];
    for (let rounds = 0; rounds < ROUNDS_MAX && claimed.length < limit; rounds += 1) {
      const before = claimed.length;
      const found = await Promise.all(
        clocksOf(request).map(async (clock): Promise<readonly Candidate[]> => {
          const [ofPartners, value] = partnersOf(clock, request);
          const { mode, now } = clock;
          const rows = await database.query<CandidateRow>(due(ofPartners), [mode, now, value, limit - claimed.length]);
          return rows.map((row) => candidateOf(row, clock));
        }),
      );
      const picked = found
        .flat()
        .sort(byLateness)
        .slice(0, limit - claimed.length);
      for (const group of groupsOf(picked, ({ partnerId, mode }) => `${mode} ${partnerId}`)) {
        const [{ partnerId, now }] = group;
        const ids = group.map(({ id }) => id);
        const rows = await database.query<LeasedTaskRow>(lease, [partnerId, ids, now, leaseMs, token]);
        for (const { id, row, claims } of rows) {
          const candidate = group.find((one) => one.id === id);
          // Written by this store from a Task.
          const task = { ...(JSON.parse(row) as Task), leaseToken: token, leaseUntil: now + leaseMs, claims };
          if (candidate !== undefined) claimed.push({ candidate, task });
        }
      }
      if (claimed.length - before === picked.length) break;
    }
    return claimed.sort((one, other) => byLateness(one.candidate, other.candidate)).map(({ task }) => task);
  };
}

function candidateOf({ id, partner_id: partnerId, free_at: free }: CandidateRow, { mode, now }: Clock): Candidate {
  return { id, partnerId, mode, now, lateMs: now - Number(free) };
}

function byLateness(one: Candidate, other: Candidate): number {
  return other.lateMs - one.lateMs || (one.id < other.id ? -1 : 1);
}

/** Groups items by name, in the order of the names, so that all workers lock in the same order. */
function groupsOf<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): readonly (readonly [Item, ...Item[]])[] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

/** Rows read beyond the share: leased rows are among those due first, but a few that were committed late may precede them. */
const LEASED_AHEAD = 32;

interface QueuedRow extends CandidateRow {
  readonly endpoint: string;
  readonly is_leased: boolean;
}

interface QueuedCandidate extends Candidate {
  readonly endpoint: string;
  /** Its place among the free deliveries of its endpoint, from 1. */
  readonly turn: number;
}

function deliveryClaims(database: Database, schema: string): Claims['delivery'] {
  const heads = (ofPartners: string) => `select id, partner_id, endpoint, due_at as free_at, is_leased from (
      select id, partner_id, endpoint, due_at, coalesce(lease_until > $2, false) as is_leased,
        row_number() over (partition by partner_id, endpoint order by due_at, id) as place
      from "${schema}".delivery_queue where mode = $1 and due_at <= $2 and ${ofPartners} and lane = $4) heads
    where place <= $5 order by partner_id, endpoint, place`;
  const lease = `select ${CLAIM_COLUMNS} from "${schema}".claim_deliveries_of_partner($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

  async function candidates(request: DeliveryClaim): Promise<readonly QueuedCandidate[]> {
    const { lane, perEndpoint } = request;
    const found = await Promise.all(
      clocksOf(request).map(async (clock) => {
        const [ofPartners, value] = partnersOf(clock, request);
        const values = [clock.mode, clock.now, value, lane, Math.min(perEndpoint, HEADS_MAX) + LEASED_AHEAD];
        const rows = await database.query<QueuedRow>(heads(ofPartners), values);
        return groupsOf(rows, ({ endpoint }) => endpoint).flatMap((ofEndpoint) => {
          const free = ofEndpoint.filter((row) => !row.is_leased);
          const places = Math.max(0, perEndpoint - (ofEndpoint.length - free.length));
          return free
            .slice(0, places)
            .map((row, nth) => ({ ...candidateOf(row, clock), endpoint: row.endpoint, turn: nth + 1 }));
        });
      }),
    );
    return found.flat();
  }

  return async (request) => {
    const { lane, limit, perEndpoint, leaseMs, token } = request;
    const claimed: { readonly candidate: QueuedCandidate; readonly row: DeliveryClaimRow }[] = [];
    for (let rounds = 0; rounds < ROUNDS_MAX && claimed.length < limit; rounds += 1) {
      const before = claimed.length;
      const picked = [...(await candidates(request))]
        .sort((one, other) => one.turn - other.turn || byLateness(one, other))
        .slice(0, limit - claimed.length);
      for (const group of groupsOf(picked, ({ endpoint }) => endpoint)) {
        const [{ partnerId, mode, endpoint, now }] = group;
        const ids = group.map(({ id }) => id);
        const values = [partnerId, mode, lane, endpoint, ids, now, perEndpoint, leaseMs, token];
        for (const row of await database.query<DeliveryClaimRow>(lease, values)) {
          const candidate = group.find(({ id }) => id === row.delivery_id);
          if (candidate !== undefined) claimed.push({ candidate, row });
        }
      }
      if (claimed.length - before === picked.length) break;
    }
    return claimed
      .sort((one, other) => byLateness(one.candidate, other.candidate))
      .map(({ row }) =>
        claimedOf(row, { now: nowOf(request, { partnerId: row.partner_id, mode: row.mode }), leaseMs, token }),
      );
  };
}

/** The greatest share of an endpoint that a claim looks for; no worker has a greater one. */
const HEADS_MAX = 1_000;

interface DueRow {
  readonly kind: 'delivery' | 'task';
  readonly id: string;
  readonly free_at: string;
}

function nextDue(database: Database, schema: string): WorkStore['nextDue'] {
  const lanes = `select distinct lane from "${schema}".delivery_queue where mode = $1 and lane <> '${PAUSED_LANE}'`;
  const task = `select 'task' as kind, id, free_at from "${schema}".tasks
    where mode = $1 and free_at is not null order by free_at, id limit 1`;
  const free = `select 'delivery' as kind, id, due_at as free_at from "${schema}".delivery_queue
    where mode = $1 and lane = $2 and lease_token is null order by due_at, id limit 1`;
  // A lease ends after its row was due, so the row of a lease that ends before another row is due precedes that row.
  const leased = `select 'delivery' as kind, id, lease_until as free_at from "${schema}".delivery_queue
    where mode = $1 and lane = $2 and lease_token is not null and due_at <= $3 order by lease_until, id limit 1`;
  const ofLane = async (mode: Mode, lane: Lane): Promise<readonly DueRow[]> => {
    const [head] = await database.query<DueRow>(free, [mode, lane]);
    const [held] = await database.query<DueRow>(leased, [mode, lane, head?.free_at ?? Number.MAX_SAFE_INTEGER]);
    return [head, held].filter((row) => row !== undefined);
  };
  return async (mode: Mode, kinds?: readonly WorkKind[]): Promise<DueItem | null> => {
    const filled = async (): Promise<readonly Lane[]> =>
      (await database.query<{ lane: Lane }>(lanes, [mode])).map(({ lane }) => lane);
    const wanted: readonly WorkKind[] = kinds ?? ['tasks', ...(await filled())];
    const found = await Promise.all(
      wanted.map((kind) => (kind === 'tasks' ? database.query<DueRow>(task, [mode]) : ofLane(mode, kind))),
    );
    const [first] = found
      .flat()
      .sort((one, other) => Number(one.free_at) - Number(other.free_at) || (one.id < other.id ? -1 : 1));
    return first === undefined ? null : { kind: first.kind, id: first.id, mode, dueAt: Number(first.free_at) };
  };
}

function sandboxesDue(database: Database, schema: string): NonNullable<WorkStore['sandboxesDue']> {
  const deliveries = `select 'delivery' as kind, id, coalesce(lease_until, due_at) as free_at from "${schema}".delivery_queue
    where partner_id = $1 and mode = 'test' and ($2::text[] is null and lane <> '${PAUSED_LANE}' or lane = any ($2)) order by 3, id limit $3`;
  const tasks = `select 'task' as kind, id, free_at from "${schema}".tasks
    where partner_id = $1 and mode = 'test' and free_at is not null order by free_at, id limit $2`;
  return async ({ ahead, kinds, limit }): Promise<readonly SandboxDue[]> => {
    const lanes = kinds?.filter((kind) => kind !== 'tasks') ?? null;
    const found = await Promise.all(
      [...ahead].map(async ([partnerId, aheadMs]) => {
        const rows = [
          ...(await database.query<DueRow>(deliveries, [partnerId, lanes, limit])),
          ...(kinds === undefined || kinds.includes('tasks')
            ? await database.query<DueRow>(tasks, [partnerId, limit])
            : []),
        ];
        return rows.map(({ kind, id, free_at: free }) => ({ kind, id, partnerId, dueAt: Number(free), aheadMs }));
      }),
    );
    return found
      .flat()
      .sort((one, other) => one.dueAt - one.aheadMs - (other.dueAt - other.aheadMs) || (one.id < other.id ? -1 : 1))
      .slice(0, limit)
      .map(({ kind, id, partnerId, dueAt }) => ({ kind, id, partnerId, mode: 'test', dueAt }));
  };
}

/** Results of one partner that arrive while others are being recorded are sent together. */
function recordsOfPartner(
  database: Database,
  schema: string,
  { onRecorded, ...folding }: RecordOptions,
): Batcher<DeliveryOutcome, 'recorded' | 'lost'> {
  const call = `select "${schema}".record_deliveries_of_partner($1, $2) as recorded`;
  return new Batcher<DeliveryOutcome, 'recorded' | 'lost'>({
    async run(batch) {
      const results = batch.map(resultOf);
      const partner = batch[0]?.next.partnerId;
      const [row] = await database.query<{ recorded: readonly number[] }>(call, [partner, JSON.stringify(results)]);
      const recorded = new Set(row?.recorded ?? []);
      onRecorded(recorded.size);
      return batch.map((_, n): BatchResult<'recorded' | 'lost'> => ({
        status: 'fulfilled',
        value: recorded.has(n) ? 'recorded' : 'lost',
      }));
    },
    contends: ({ next }) => [next.id],
    kindOf: ({ next }) => next.partnerId,
    ...folding,
  });
}

function resultOf({ leaseToken, next, attempt }: DeliveryOutcome, n: number): object {
  const { id, mode, lane, status, claims } = next;
  const tried = endpointResult(next, attempt);
  const queue = { due_at: freeAt(next), lane, claims, token: leaseToken };
  const health = { tried_at: tried?.at ?? null, failure: tried?.error ?? null };
  return { n, id, mode, status, ended_at: endedAt(next), row: rowOfDelivery(next), attempt, ...queue, ...health };
}
