import type { PostgresOperator } from '@gateramp/adapters-store-postgres';

/**
 * Whether the database takes writes, and how far its clock is ahead of ours, in milliseconds. Half the way there and back is taken for the
 * way there, so what remains is as wrong as the network is slow.
 */
export async function probeDatabase(operator: Pick<PostgresOperator, 'probe'>): Promise<{ readonly aheadMs: number }> {
  const asked = Date.now();
  const now = await operator.probe();
  const answered = Date.now();
  return { aheadMs: now - (asked + answered) / 2 };
}
