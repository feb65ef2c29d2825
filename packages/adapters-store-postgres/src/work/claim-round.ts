import type { Delivery, Task } from '@gateramp/core/domain';
import type { ClaimedDelivery, DeliveryClaim, TaskClaim, WorkKind } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { withLease, type LeaseColumns } from '../reads/delivery-reads.js';
import { eventOf, type EventRow } from '../reads/event-reads.js';

/** The same order in every statement: claims of one lane queue for each other, and no two may wait in a circle. */
const FIRST_KINDS: readonly WorkKind[] = ['tasks', 'first', 'retry'];

interface ClaimRow extends EventRow, LeaseColumns {
  readonly kind: WorkKind;
  /** The task or the delivery. The columns of the event are null with a task. */
  readonly work: string;
}

interface Asked {
  readonly values: readonly unknown[];
  readonly resolve: (rows: readonly ClaimRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Claims that are asked for in one turn of the event loop go out as one statement: a worker's round is one round trip. */
export function claimRounds(database: Database, schema: string) {
  let open: Map<WorkKind, Asked> | null = null;

  function ask(kind: WorkKind, values: readonly unknown[]): Promise<readonly ClaimRow[]> {
    return new Promise((resolve, reject) => {
      if (open === null || open.has(kind)) {
        const round = new Map<WorkKind, Asked>();
        open = round;
        queueMicrotask(() => {
          if (open === round) open = null;
          void run(round);
        });
      }
      open.set(kind, { values, resolve, reject });
    });
  }

  async function run(round: ReadonlyMap<WorkKind, Asked>): Promise<void> {
    const parts: string[] = [];
    const values: unknown[] = [];
    for (const [kind, asked] of inOrder(round)) {
      parts.push(selectOf(schema, kind, values.length));
      values.push(...asked.values);
    }
    try {
      const rows = await database.query<ClaimRow>(parts.join(' union all '), values);
      for (const [kind, { resolve }] of round) resolve(rows.filter((row) => row.kind === kind));
    } catch (error) {
      for (const { reject } of round.values()) reject(error);
    }
  }

  return {
    async task({ now, limit, leaseMs, token }: TaskClaim): Promise<readonly Task[]> {
      // Written by this store from a Task.
      return (await ask('tasks', [now.test, now.live, limit, leaseMs, token])).map((row) =>
        withLease(JSON.parse(row.work) as Task, row),
      );
    },
    async delivery({
      lane,
      now,
      limit,
      perEndpoint,
      leaseMs,
      token,
    }: DeliveryClaim): Promise<readonly ClaimedDelivery[]> {
      return (await ask(lane, [lane, now.test, now.live, limit, perEndpoint, leaseMs, token])).map(claimedOf);
    },
  };
}

function inOrder(round: ReadonlyMap<WorkKind, Asked>): readonly (readonly [WorkKind, Asked])[] {
  // Lanes of consumers come after those that are always there, by name.
  const place = (kind: WorkKind): string => (FIRST_KINDS.includes(kind) ? String(FIRST_KINDS.indexOf(kind)) : kind);
  return [...round].sort(([one], [other]) => (place(one) < place(other) ? -1 : 1));
}

const EVENT_COLUMNS = {
  id: 'text',
  partner_id: 'text',
  mode: 'text',
  session_id: 'text',
  sequence: 'int',
  type: 'text',
  created_at: 'bigint',
  body: 'text',
};

/** Named, as the first part of a union names the columns of all. */
const NO_EVENT = Object.entries(EVENT_COLUMNS)
  .map(([name, type]) => `null::${type} as ${name}`)
  .join(', ');

/** `before` parameters of the statement belong to the parts in front of this one. */
function selectOf(schema: string, kind: WorkKind, before: number): string {
  const parameters = (count: number): string =>
    Array.from({ length: count }, (_, n) => `$${before + n + 1}`).join(', ');
  const lease = 'lease_token, lease_until, claims';
  return kind === 'tasks'
    ? `select 'tasks' as kind, task as work, ${lease}, ${NO_EVENT} from "${schema}".claim_tasks(${parameters(5)})`
    : `select $${before + 1}::text as kind, delivery as work, ${lease}, ${Object.keys(EVENT_COLUMNS).join(', ')} from "${schema}".claim_deliveries(${parameters(7)})`;
}

/** What `claim_deliveries` answers, or `claim_delivery`. */
export function claimedOf(row: EventRow & LeaseColumns & { readonly work: string }): ClaimedDelivery {
  // Written by this store from a Delivery.
  return { delivery: withLease(JSON.parse(row.work) as Delivery, row), event: eventOf(row) };
}
