import type { Mode, Scope } from '@gateramp/core';
import { sandboxEndpoint, type Instant, type Task } from '@gateramp/core/domain';
import type { ClaimedDelivery, DeliveryClaim, Lease, TaskClaim, WorkKind, WorkTime } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { deliveryOfRow } from '../delivery-row.js';
import { eventOf, type EventRow } from '../reads/events.js';
import type { LanePositions } from './lane-positions.js';

/** The same order in every statement: claims of one lane are serialized, and a different order could cause a deadlock. */
const FIRST_KINDS: readonly WorkKind[] = ['tasks', 'first', 'retry'];

/** A claimed delivery and its event. `bigint` arrives as text. */
export interface DeliveryClaimRow extends EventRow {
  readonly delivery_id: string;
  readonly owed_since: string;
  readonly work: string;
  readonly claims: number;
}

/** For a task, the work is its row, and the columns of deliveries and events are null except the mode. */
interface ClaimRow extends Omit<DeliveryClaimRow, 'delivery_id' | 'mode'> {
  readonly kind: WorkKind;
  readonly delivery_id: string | null;
  /** Null: the work is the next position. */
  readonly mode: Mode | null;
}

interface ClaimBatch {
  /** The function of the schema that takes the values. */
  readonly call: 'claim_due' | 'claim_due_tasks';
  /** With it, sandboxes that are held are left out: what follows the partner in the names of sandboxes. */
  readonly skipsSteppedOf: string | null;
  readonly values: readonly unknown[];
  readonly resolve: (rows: readonly ClaimRow[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface ClaimOptions {
  readonly schema: string;
  /** Whether each statement is its own transaction. Only then may a commit skip the wait for the disk. */
  readonly hasOwnTransactions: boolean;
}

/** Claims requested in one turn of the event loop are sent as one statement: a worker's round is one round trip. */
export function claimRounds(
  database: Database,
  positions: LanePositions,
  { schema, hasOwnTransactions }: ClaimOptions,
) {
  let open: Map<WorkKind, ClaimBatch> | null = null;

  function ask(kind: WorkKind, claim: Omit<ClaimBatch, 'resolve' | 'reject'>): Promise<readonly ClaimRow[]> {
    return new Promise((resolve, reject) => {
      if (open === null || open.has(kind)) {
        const round = new Map<WorkKind, ClaimBatch>();
        open = round;
        queueMicrotask(() => {
          if (open === round) open = null;
          void run(round);
        });
      }
      open.set(kind, { ...claim, resolve, reject });
    });
  }

  async function run(round: ReadonlyMap<WorkKind, ClaimBatch>): Promise<void> {
    const parts: string[] = [];
    const values: unknown[] = [];
    for (const [kind, batch] of inOrder(round)) {
      parts.push(selectOf(schema, kind, batch, values.length, hasOwnTransactions));
      values.push(...batch.values, ...(batch.skipsSteppedOf === null ? [] : [batch.skipsSteppedOf]));
    }
    try {
      const rows = await database.query<ClaimRow>(parts.join(' union all '), values);
      for (const [kind, { resolve }] of round) resolve(rows.filter((row) => row.kind === kind));
    } catch (error) {
      for (const { reject } of round.values()) reject(error);
    }
  }

  /** A claim from the position of its lane, which keeps the position that it returned. */
  async function from(
    kind: WorkKind,
    time: WorkTime,
    claim: (position: string | null) => Promise<readonly ClaimRow[]>,
  ): Promise<readonly ClaimRow[]> {
    const beginning = positions.begin(kind, time);
    try {
      const rows = await claim(beginning.position);
      const last = rows.at(-1);
      const hasNext = last !== undefined && last.mode === null;
      beginning.ended(hasNext ? last.work : null);
      return hasNext ? rows.slice(0, -1) : rows;
    } catch (error) {
      beginning.failed();
      throw error;
    }
  }

  return {
    async task(request: TaskClaim): Promise<readonly Task[]> {
      const { now, limit, leaseMs, token } = request;
      const own = ownTimes(request, (partnerId) => partnerId);
      const found = await from('tasks', request, (position) =>
        ask('tasks', {
          call: 'claim_due_tasks',
          values: [now.test, now.live, ...own, position, limit, leaseMs, token],
          skipsSteppedOf: request.skipsStepped === true ? '' : null,
        }),
      );
      return found.map(({ work, claims }) => {
        // Written by this store from a Task.
        const task = JSON.parse(work) as Task;
        return { ...task, leaseToken: token, leaseUntil: nowOf(request, task) + leaseMs, claims };
      });
    },
    async delivery(request: DeliveryClaim): Promise<readonly ClaimedDelivery[]> {
      const { lane, now, limit, perEndpoint, leaseMs, token } = request;
      const own = ownTimes(request, (partnerId) => sandboxEndpoint(partnerId, lane));
      const found = await from(lane, request, (position) =>
        ask(lane, {
          call: 'claim_due',
          values: [lane, now.test, now.live, ...own, position, limit, perEndpoint, leaseMs, token],
          // Endpoints begin with the partner.
          skipsSteppedOf: request.skipsStepped === true ? sandboxEndpoint('', lane) : null,
        }),
      );
      return found.filter(isOfDelivery).map((row) => {
        const scope = { partnerId: row.partner_id, mode: row.mode };
        return claimedOf(row, { now: nowOf(request, scope), leaseMs, token });
      });
    },
  };
}

function isOfDelivery(row: ClaimRow): row is ClaimRow & DeliveryClaimRow {
  return row.delivery_id !== null && row.mode !== null;
}

/** The names and times of sandboxes as two parameters. */
function ownTimes({ sandboxes }: WorkTime, nameOf: (partnerId: string) => string): readonly unknown[] {
  if (sandboxes === undefined || sandboxes.size === 0) return [null, null];
  return [[...sandboxes.keys()].map(nameOf), [...sandboxes.values()]];
}

/** The time of a partner: that of its sandbox, if it has one, or of its mode. */
export function nowOf({ now, sandboxes }: WorkTime, { partnerId, mode }: Scope): Instant {
  return (mode === 'test' ? sandboxes?.get(partnerId) : undefined) ?? now[mode];
}

function inOrder(round: ReadonlyMap<WorkKind, ClaimBatch>): readonly (readonly [WorkKind, ClaimBatch])[] {
  // Lanes of consumers follow the built-in lanes, ordered by name.
  const place = (kind: WorkKind): string => (FIRST_KINDS.includes(kind) ? String(FIRST_KINDS.indexOf(kind)) : kind);
  return [...round].sort(([one], [other]) => (place(one) < place(other) ? -1 : 1));
}

const DELIVERY_COLUMNS = {
  delivery_id: 'text',
  owed_since: 'bigint',
  id: 'text',
  partner_id: 'text',
  session_id: 'text',
  sequence: 'int',
  type: 'text',
  created_at: 'bigint',
  body: 'text',
};

/** Named, since the first part of a union names the columns of all parts. */
const NO_DELIVERY = Object.entries(DELIVERY_COLUMNS)
  .map(([name, type]) => `null::${type} as ${name}`)
  .join(', ');

/** The columns of a claim function, by the names of `DeliveryClaimRow`. */
export const CLAIM_COLUMNS = `delivery as work, mode, claims, ${Object.keys(DELIVERY_COLUMNS).join(', ')}`;

/** `before` is the number of parameters of the preceding parts. */
function selectOf(
  schema: string,
  kind: WorkKind,
  { call, values, skipsSteppedOf }: ClaimBatch,
  before: number,
  hasOwnTransactions: boolean,
): string {
  const parameters = values.map((_, n) => `$${before + n + 1}`);
  const claimed = (given: readonly string[]): string => {
    if (skipsSteppedOf === null) return `"${schema}".${call}(${given.join(', ')})`;
    const at = kind === 'tasks' ? 2 : 3;
    const own = [...given.slice(at, at + 2), given[at - 2], `$${before + values.length + 1}`];
    const others = [...given.slice(0, at), 't.sandboxes', 't.sandbox_nows', ...given.slice(at + 2)];
    return `"${schema}".times_of_claim(${own.join(', ')}) t cross join lateral "${schema}".${call}(${others.join(', ')})`;
  };
  if (kind === 'tasks')
    return `select 'tasks' as kind, task as work, mode, claims, ${NO_DELIVERY} from ${claimed(parameters)}`;
  const [lane = '', ...others] = parameters;
  return `select ${lane}::text as kind, ${CLAIM_COLUMNS} from ${claimed([hasOwnTransactions ? unflushed(lane) : lane, ...others])}`;
}

/**
 * The value, after turning off the wait for the disk: if a crash of Postgres loses a lease, the attempt is made once more, and the previous
 * holder cannot record a result. Not if this statement has already written something else, namely the lease of a task.
 */
function unflushed(value: string): string {
  return `case when pg_current_xact_id_if_assigned() is not null then ${value} when set_config('synchronous_commit', 'off', true) = 'off' then ${value} end`;
}

/** The result of `claim_due` or `claim_delivery`, with the requested lease. */
export function claimedOf(row: DeliveryClaimRow, { now, leaseMs, token }: Lease): ClaimedDelivery {
  const event = eventOf(row);
  const { id: eventId, type: eventType, partnerId, mode } = event;
  const columns = { id: row.delivery_id, eventId, eventType, partnerId, mode, createdAt: Number(row.owed_since) };
  const delivery = deliveryOfRow(columns, row.work);
  return { delivery: { ...delivery, leaseToken: token, leaseUntil: now + leaseMs, claims: row.claims }, event };
}
