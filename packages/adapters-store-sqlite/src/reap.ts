import type { ReapRequest } from '@gateramp/core/ports';
import type { Connection } from './connection.js';

/**
 * Deletes expired keys and documents first, as they are many, then what ended long ago: deliveries with their
 * attempts, tasks, and operations of the sandbox.
 */
export function reap(db: Connection, { mode, now, keepEnded, limit }: ReapRequest): number {
  const before = now - keepEnded;
  let left = limit;
  const oldest = (table: string, column: string, comparison: '<' | '<=', instant: number): void => {
    const text = `delete from ${table} where rowid in (
      select rowid from ${table} where mode = ? and ${column} ${comparison} ? order by ${column} limit ?)`;
    left -= db.run(text, mode, instant, left);
  };
  left -= db.run(
    `delete from idempotency_keys where (scope, key_hash) in (
       select scope, key_hash from idempotency_keys where mode = ? and expires_at < ? order by expires_at limit ?)`,
    ...[mode, now, left],
  );
  oldest('documents', 'keep_until', '<', now);
  const ended = db.all<{ id: string }>(
    'select id from deliveries where mode = ? and ended_at <= ? order by ended_at limit ?',
    ...[mode, before, left],
  );
  for (const { id } of ended) {
    db.run('delete from delivery_attempts where delivery_id = ?', id);
    db.run('delete from deliveries where id = ?', id);
  }
  left -= ended.length;
  oldest('tasks', 'done_at', '<=', before);
  oldest('sandbox_operations', 'ended_at', '<=', before);
  return limit - left;
}
