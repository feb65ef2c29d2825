import { endedAt, endpointResult, freeAt } from '@gateramp/core/domain';
import type { ClaimsOfOne, DeliveryOutcome } from '@gateramp/core/ports';
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

export interface RecordOptions {
  /** Statements under way at once. */
  readonly slots: number;
  /** Results in one statement at most. */
  readonly batchMax: number;
  /** Hears how many a statement has recorded. */
  readonly onRecorded: (deliveries: number) => void;
}

export function deliveryClaim(database: Database, schema: string): ClaimsOfOne['delivery'] {
  const claim = `select ${CLAIM_COLUMNS} from "${schema}".claim_delivery($1, $2, $3, $4, $5)`;
  return async (mode, id, { now, leaseMs, token }) => {
    const [row] = await database.query<ClaimRow>(claim, [mode, id, now, leaseMs, token]);
    return row === undefined ? null : claimedOf(row);
  };
}

/** Results that arrive while others are being recorded go out together. */
export function foldedRecord(
  database: Database,
  schema: string,
  { slots, batchMax, onRecorded }: RecordOptions,
): Fold<DeliveryOutcome, 'recorded' | 'lost'> {
  const call = `select "${schema}".record_deliveries(${RECORD_COLUMNS.map((_, n) => `$${n + 1}`).join(', ')}) as recorded`;
  return new Fold<DeliveryOutcome, 'recorded' | 'lost'>({
    async run(batch) {
      const [row] = await database.query<{ recorded: readonly number[] }>(
        call,
        binaryColumns(RECORD_COLUMNS, batch.map(recordRow)),
      );
      const recorded = new Set(row?.recorded ?? []);
      onRecorded(recorded.size);
      return batch.map((_, nth): Folded<'recorded' | 'lost'> => ({
        status: 'fulfilled',
        value: recorded.has(nth + 1) ? 'recorded' : 'lost',
      }));
    },
    contends: ({ next }) => [next.id],
    slots,
    batchMax,
  });
}

/** In the order of the function's parameters. */
const RECORD_COLUMNS: readonly ColumnType[] = [
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

function recordRow({ leaseToken, next, attempt }: DeliveryOutcome): readonly Value[] {
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
