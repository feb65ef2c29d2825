import { InstallationError } from '../errors.js';
import { dropUnattached, grantsOf, isEmpty, unattached } from './cut.js';
import { boundAt, type Partition, readLayout, restName } from './layout.js';
import type { PartitionWork } from './session.js';
import { PARTITION_KEYS, PARTITIONED_TABLES, type PartitionedTable } from './tables.js';

/**
 * Makes plain tables of partitioned ones again, in one short transaction for each. Only possible while one partition of each has rows:
 * the rows of several could only be copied.
 */
export async function mergePartitions(work: PartitionWork): Promise<readonly PartitionedTable[]> {
  const merges: { readonly table: PartitionedTable; readonly kept: string; readonly dropped: Partition | null }[] = [];
  for (const table of PARTITIONED_TABLES) {
    const { partitions } = await readLayout(work.client, work.schema, table);
    if (partitions === null) continue;
    await dropUnattached(work, table);
    const filled: string[] = [];
    for (const { name, isDropped } of partitions)
      if (!isDropped && !(await isEmpty(work.client, work.schema, name))) filled.push(name);
    filled.push(...(await unattached(work.client, work.schema, table)));
    if (filled.length > 1)
      throw new InstallationError(
        `"${table}" stays partitioned: ${filled.length} of its partitions have rows (${filled.join(', ')}), and one table cannot take them while it is in use. Nothing was changed.`,
      );
    merges.push({
      table,
      kept: filled[0] ?? restName(table),
      dropped: partitions.find((one) => one.isDropped) ?? null,
    });
  }
  for (const merge of merges) await mergeOne(work, merge);
  return merges.map(({ table }) => table);
}

async function mergeOne(
  work: PartitionWork,
  {
    table,
    kept,
    dropped,
  }: { readonly table: PartitionedTable; readonly kept: string; readonly dropped: Partition | null },
): Promise<void> {
  const { client, schema } = work;
  const parent = `"${schema}".${table}`;
  await work.briefly(async () => {
    await client.query(`lock table ${parent} in access exclusive mode`);
    const { partitions } = await readLayout(client, schema, table);
    for (const { name, isDropped } of partitions ?? []) {
      if (name !== kept && !isDropped && !(await isEmpty(client, schema, name)))
        throw new InstallationError(`"${table}" stays partitioned: rows have come to "${name}" meanwhile.`);
      await client.query(`alter table ${parent} detach partition "${schema}"."${name}"`);
    }
    const grants = await grantsOf(client, schema, table);
    await client.query(`drop table ${parent}`);
    await client.query(`alter table "${schema}"."${kept}" rename to ${table}`);
    for (const grant of grants) await client.query(grant);
    if (dropped === null) {
      if (table === 'events') await client.query(`truncate "${schema}".event_keys`);
      return;
    }
    // What would come to a dropped month is still refused, and the keys of its events are still needed.
    await client.query(
      `create trigger dropped before insert on ${parent} for each row
       when (new.${PARTITION_KEYS[table].column} < ${boundAt(table, dropped.until, 'maxvalue')}) execute function "${schema}".refuse_dropped()`,
    );
    if (table === 'events')
      await client.query(
        `create trigger keys_of_events after insert on ${parent} referencing new table as added
         for each statement execute function "${schema}".keep_event_keys()`,
      );
  });
  await dropUnattached(work, table);
}
