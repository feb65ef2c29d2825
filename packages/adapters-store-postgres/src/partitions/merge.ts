import { InstallationError } from '../errors.js';
import { copyPartitions, removeFormer } from './copy.js';
import { dropUnattached, grantsOf, isEmpty, unattached } from './cut.js';
import { boundAt, type Partition, readLayout, restName } from './layout.js';
import type { PartitionWork } from './session.js';
import { PARTITION_KEYS, PARTITIONED_TABLES, type PartitionedTable } from './tables.js';

/**
 * Makes plain tables of partitioned ones again. If one partition has rows, it becomes the table, in one short transaction; the rows of
 * several are copied.
 */
export async function mergePartitions(work: PartitionWork): Promise<readonly PartitionedTable[]> {
  const merges: {
    readonly table: PartitionedTable;
    readonly filled: readonly string[];
    readonly dropped: Partition | null;
  }[] = [];
  for (const table of PARTITIONED_TABLES) {
    const { partitions } = await readLayout(work.client, work.schema, table);
    if (partitions === null) {
      await removeFormer(work, table);
      continue;
    }
    await dropUnattached(work, table);
    const detached = await unattached(work.client, work.schema, table);
    if (detached.length > 0)
      throw new InstallationError(
        `"${table}" stays partitioned: ${detached.join(', ')} is being dropped. Run \`gate partition drop\` again to finish that. Nothing was changed.`,
      );
    const filled: string[] = [];
    for (const { name, isDropped } of partitions)
      if (!isDropped && !(await isEmpty(work.client, work.schema, name))) filled.push(name);
    merges.push({ table, filled, dropped: partitions.find((one) => one.isDropped) ?? null });
  }
  for (const { table, filled, dropped } of merges) {
    if (filled.length > 1) await copyPartitions(work, table, (parent) => keepRefusing(work, table, parent, dropped));
    else await mergeOne(work, { table, kept: filled[0] ?? restName(table), dropped });
  }
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
        throw new InstallationError(`"${table}" stays partitioned: rows were added to "${name}" in the meantime.`);
      await client.query(`alter table ${parent} detach partition "${schema}"."${name}"`);
    }
    const grants = await grantsOf(client, schema, table);
    await client.query(`drop table ${parent}`);
    await client.query(`alter table "${schema}"."${kept}" rename to ${table}`);
    for (const grant of grants) await client.query(grant);
    await keepRefusing(work, table, parent, dropped);
  });
  await dropUnattached(work, table);
}

/** Rows of a dropped month are still refused, for which the keys of its events are still needed. */
async function keepRefusing(
  { client, schema }: PartitionWork,
  table: PartitionedTable,
  parent: string,
  dropped: Partition | null,
): Promise<void> {
  if (dropped === null) {
    if (table === 'events') await client.query(`truncate "${schema}".event_keys`);
    return;
  }
  await client.query(
    `create trigger dropped before insert on ${parent} for each row
     when (new.${PARTITION_KEYS[table].column} < ${boundAt(table, dropped.until, 'maxvalue')}) execute function "${schema}".refuse_dropped()`,
  );
  if (table === 'events')
    await client.query(
      `create trigger keys_of_events after insert on ${parent} referencing new table as added
       for each statement execute function "${schema}".keep_event_keys()`,
    );
}
