import type { AuditedCommit, AuditedRows, LegsChange, LegsStore } from './ports/legs-store.js';

/** Commits an operator's change, with its audit entry if the caller keeps a trail. */
export function commitAudited(
  store: LegsStore,
  change: LegsChange,
  rows: AuditedRows,
  audited: AuditedCommit | undefined,
): Promise<'committed' | 'stale'> {
  if (audited === undefined) return store.commit(change);
  return audited(rows, (audit) => store.commit({ ...change, audit }));
}
