import { deliveryEndpoint, endedAt, endpointResult, freeAt } from '@gateramp/core/domain';
import type { DeliveryOutcome } from '@gateramp/core/ports';
import { binaryColumns, type ColumnType, type Value } from '../binary-columns.js';
import type { Database } from '../database.js';
import { Batcher, type BatcherOptions, type BatchResult } from '../batcher.js';
import { rowOfDelivery } from '../delivery-row.js';
import type { LanePositions } from './lane-positions.js';

/** How results of deliveries are combined into statements. */
export interface RecordOptions extends Pick<BatcherOptions<never, never>, 'slots' | 'batchMax' | 'gather'> {
  /** Called with the number of deliveries recorded by a statement. */
  readonly onRecorded: (deliveries: number) => void;
}

/** Results that arrive while others are being recorded are sent together. */
export function batchedRecord(
  database: Database,
  positions: LanePositions,
  schema: string,
  { onRecorded, ...folding }: RecordOptions,
): Batcher<DeliveryOutcome, 'recorded' | 'lost'> {
  const call = `select "${schema}".record_deliveries(${RECORD_COLUMNS.map((_, n) => `$${n + 1}`).join(', ')}) as recorded`;
  return new Batcher<DeliveryOutcome, 'recorded' | 'lost'>({
    async run(batch) {
      const [row] = await database.query<{ recorded: readonly number[] }>(
        call,
        binaryColumns(RECORD_COLUMNS, batch.map(recordRow)),
      );
      const recorded = new Set(row?.recorded ?? []);
      onRecorded(recorded.size);
      for (const { next } of batch) {
        const dueAt = freeAt(next);
        if (dueAt !== null)
          positions.addReturned(next.lane, { endpoint: deliveryEndpoint(next), mode: next.mode, start: dueAt });
      }
      return batch.map((_, nth): BatchResult<'recorded' | 'lost'> => ({
        status: 'fulfilled',
        value: recorded.has(nth + 1) ? 'recorded' : 'lost',
      }));
    },
    contends: ({ next }) => [next.id],
    ...folding,
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
    JSON.stringify(rowOfDelivery(next)),
    attempted,
    tried?.at ?? null,
    tried?.error ?? null,
  ];
}
