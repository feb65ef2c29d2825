import type { AuditWrite, Savers } from '@gateramp/core/ports';
import {
  answerOf,
  auditParameters,
  COMMIT_SECTIONS,
  type CommitCall,
  commitParameters,
  type Database,
  knownConsumers,
} from '@gateramp/adapters-store-postgres/distribution';

/**
 * Commits changes of one partner. The statement selects the function and nothing else: Citus then runs it on the node that has the rows of
 * the partner. The function itself checks whether the changes know all consumers.
 */
export function commitsOfPartner(database: Database, schema: string): CommitCall {
  const callOf = (name: string, parameters: number): string =>
    `select "${schema}".${name}(${Array.from({ length: parameters }, (_, nth) => `$${nth + 1}`).join(', ')}) as answer`;
  // The partner and the known consumers come before the sections of the changes, and audit entries before both.
  const plain = callOf('commit_of_partner', COMMIT_SECTIONS + 2);
  const audited = callOf('commit_audited_of_partner', COMMIT_SECTIONS + 3);
  return async (changes, audit) => {
    const [change] = changes;
    if (change === undefined) return null;
    const { partnerId } = change.scope;
    const parameters = [...auditParameters(audit), partnerId, knownConsumers(changes), ...commitParameters(changes)];
    const [row] = await database.query<{ answer: string | null }>(audit === undefined ? plain : audited, parameters);
    if (row === undefined) throw new Error('The commit of a partner answered nothing.');
    return answerOf(row);
  };
}

/**
 * `distribute.sql` assigns marks without a partner to the partner ''. None is added to it afterwards, so they can be read before the
 * commit.
 */
export function earlierMarks(
  database: Database,
  schema: string,
): (marks: readonly string[]) => Promise<ReadonlySet<string>> {
  const text = `select mark from "${schema}".once_marks where partner_id = '' and mark = any ($1)`;
  return async (marks) => new Set((await database.query<{ mark: string }>(text, [marks])).map(({ mark }) => mark));
}

/** One function that checks the audit first and then writes one row. */
export function saversOf(database: Database, schema: string): Savers {
  const text = `select "${schema}".save_audited($1, $2, $3, $4, $5, $6, $7) as is_saved`;
  const save = async (
    audit: AuditWrite | null,
    noun: keyof Savers,
    id: string,
    ...values: readonly (string | null)[]
  ): Promise<'saved' | 'stale'> => {
    const given = [audit === null ? null : JSON.stringify(audit), noun, id, ...values];
    const [row] = await database.query<{ is_saved: boolean }>(text, given);
    return row?.is_saved === true ? 'saved' : 'stale';
  };
  return {
    partner: ({ suspendedAt: _, ...row }, audit) =>
      save(audit, 'partner', row.id, row.id, null, null, JSON.stringify(row)),
    suspension: ({ partnerId, suspendedAt }, audit) =>
      save(audit, 'suspension', partnerId, partnerId, null, null, JSON.stringify({ suspendedAt })),
    key: (row, audit) => save(audit, 'key', row.hash, row.partnerId, null, null, JSON.stringify(row)),
    endpoint: (row, audit) =>
      save(audit, 'endpoint', row.partnerId, row.partnerId, row.mode, row.url, JSON.stringify(row)),
  };
}
