import type { PostgresOperator } from '@gateramp/adapters-store-postgres';

/**
 * Whether the database is writable, and how far its clock is ahead of this process's, in milliseconds. Assumes that both directions take
 * equal time, so the error is bounded by the round trip.
 */
export async function probeDatabase(operator: Pick<PostgresOperator, 'probe'>): Promise<{ readonly aheadMs: number }> {
  const sentAt = Date.now();
  const now = await operator.probe();
  const receivedAt = Date.now();
  return { aheadMs: now - (sentAt + receivedAt) / 2 };
}
