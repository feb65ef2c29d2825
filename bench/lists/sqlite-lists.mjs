import { join } from 'node:path';
import Libsql from 'libsql';
import { sqliteStore } from '@gateramp/adapters-store-sqlite';
import { comparePages, FEW, MANY, ROW } from './page-time.mjs';

/** Compares a list page at 10^6 sessions with the same at 10^4, each in a file of `folder`. */
export async function benchSqliteLists({ folder, rounds }) {
  const [few, many] = [await filled(join(folder, 'few.db'), FEW), await filled(join(folder, 'many.db'), MANY)];
  const row = await comparePages({ title: 'SQLite lists', few, many, rounds, atMost: 1.5 });
  few.close();
  many.close();
  return row;
}

/** Fills a file with rows that SQLite generates, because a million creates would take minutes. */
async function filled(path, count) {
  const store = sqliteStore(path);
  await store.readSetting('any');
  const file = new Libsql(path);
  file
    .prepare(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)
       insert into sessions (id, row) select printf('%024x', n), ? from numbers`,
    )
    .run(count, JSON.stringify(ROW));
  file.exec('pragma wal_checkpoint(truncate)');
  file.close();
  return store;
}
