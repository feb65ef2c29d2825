import type { Mode } from '@gateramp/core';
import { endedAt, endpointResult, freeAt } from '@gateramp/core/domain';
import type { ClaimedDelivery, DeliveryOutcome, Lease } from '@gateramp/core/ports';
import { binaryColumns, type ColumnType, type Value } from '../binary-columns.js';
import type { Database } from '../database.js';
import { Fold, type Folded } from '../fold.js';
import type { EventRow } from '../reads/event-reads.js';
import type { LeaseColumns } from '../reads/delivery-reads.js';
import { claimedOf } from './claim-round.js';

interface ClaimRow extends EventRow, LeaseColumns {
  readonly work: string;
}

const CLAIM_COLUMNS =
  'delivery as work, lease_token, lease_until, claims, id, partner_id, mode, session_id, sequence, type, created_at, body';

export interface SettleOptions {
  /** Statements under way at once. */
  readonly slots: number;
  /** Settles in one statement at most. */
  readonly batchMax: number;
  /** Hears how many were settled by a statement. */
  readonly onSettled: (deliveries: number) => void;
}

export function deliveryWork(database: Database, schema: string, options: SettleOptions) {
  const claimOne = `select ${CLAIM_COLUMNS} from "${schema}".claim_delivery($1, $2, $3, $4, $5)`;
  const settles = foldedSettle(database, schema, options);
  return {
    async claimDelivery(mode: Mode, id: string, { now, leaseMs, token }: Lease): Promise<ClaimedDelivery | null> {
      const [row] = await database.query<ClaimRow>(claimOne, [mode, id, now, leaseMs, token]);
      return row === undefined ? null : claimedOf(row);
    },
    recordDelivery: (settle: DeliveryOutcome) => settles.add(settle),
  };
}

/** Settles that arrive while others are under way go out together. */
function foldedSettle(
  database: Database,
  schema: string,
  { slots, batchMax, onSettled }: SettleOptions,
): Fold<DeliveryOutcome, 'recorded' | 'lost'> {
  const call = `select "${schema}".settle_attempts(${SETTLE_COLUMNS.map((_, n) => `$${n + 1}`).join(', ')}) as settled`;
  return new Fold<DeliveryOutcome, 'recorded' | 'lost'>({
    async run(batch) {
      const [row] = await database.query<{ settled: readonly number[] }>(
        call,
        binaryColumns(SETTLE_COLUMNS, batch.map(settleRow)),
      );
      const settled = new Set(row?.settled ?? []);
      onSettled(settled.size);
      return batch.map((_, nth): Folded<'recorded' | 'lost'> => ({
        status: 'fulfilled',
        value: settled.has(nth + 1) ? 'recorded' : 'lost',
      }));
    },
    contends: ({ next }) => [next.id],
    slots,
    batchMax,
  });
}

/** In the order of the function's parameters. */
const SETTLE_COLUMNS: readonly ColumnType[] = [
  'text',
  'text',
  'text',
  'text',
  'text',
  'int8',
  'int4',
  'text',
  'int8',
  'json',
  'int4',
  'json',
  'int8',
  'text',
];

function settleRow({ leaseToken, next, attempt }: DeliveryOutcome): readonly Value[] {
  const { id, partnerId, mode, lane, status, claims } = next;
  const tried = endpointResult(next, attempt);
  const attempted = attempt === null ? null : JSON.stringify(attempt);
  return [
    leaseToken,
    id,
    partnerId,
    mode,
    lane,
    freeAt(next),
    claims,
    status,
    endedAt(next),
    JSON.stringify(next),
    attempt?.number ?? null,
    attempted,
    tried?.at ?? null,
    tried?.error ?? null,
  ];
}
