import { faultsOf, type Fault } from './planted.js';

/** Mistakes in conversions to and from partitions, and in drops of months. */
export const partitionFaults: readonly Fault[] = [
  ...faultsOf('src/partitions/cut.ts', [
    [
      'a conversion forgets the keys of the events that exist',
      "if (table === 'events') await keepKeysOfEvents(work);",
      '',
    ],
    [
      'a conversion forgets the keys of coming events',
      "if (table === 'events') await client.query(triggerOfKeys(schema));",
      '',
    ],
  ]),
  ...faultsOf('src/partitions/drop.ts', [
    ['a month is dropped without being archived', 'await archive(await detachedPartition(work, table, name));', ''],
    [
      'a month is dropped before it is archived',
      `    await archive(await detachedPartition(work, table, name));
    await client.query(\`drop table "\${schema}"."\${name}"\`);`,
      `    await client.query(\`drop table "\${schema}"."\${name}"\`);
    await archive(await detachedPartition(work, table, name));`,
    ],
    [
      'a drop takes the keys of its events along',
      `    await client.query(\`drop table "\${schema}"."\${name}"\`);`,
      `    if (table === 'events') await client.query(\`delete from "\${schema}".event_keys where id in (select id from "\${schema}"."\${name}")\`);
    await client.query(\`drop table "\${schema}"."\${name}"\`);`,
    ],
    [
      'a month with payments in progress is dropped',
      'if (row !== undefined && row.example !== null) found.push({ table, what, rows: row.rows, example: row.example });',
      '',
    ],
    [
      'rows of a dropped month may come again',
      'before insert on "${schema}"."${name}" for each row execute',
      'before delete on "${schema}"."${name}" for each row execute',
    ],
  ]),
  ...faultsOf('src/partitions/copy.ts', [
    ['rows that are written during the copy are lost', 'await writeToBoth(work, shape);', ''],
    [
      'updates during the copy are lost',
      'create trigger write_to_copy after insert or update or delete on',
      'create trigger write_to_copy after insert or delete on',
    ],
    [
      'the rows of one partition are not copied',
      'for (const partition of partitions)',
      'for (const partition of partitions.slice(1))',
    ],
  ]),
];
