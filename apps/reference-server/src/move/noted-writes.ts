import type { SqliteDatabase } from '@gateramp/adapters-store-sqlite';
import { type Store } from '@gateramp/core/ports';
import { MOVE_SETTING, parseMoveNote } from '@gateramp/store-move';
import { StartError } from '../start-error.js';
import { faultOf, refuseElsewhere } from './refuse-elsewhere.js';

/** A folder as a command writes to it: asked in the very transaction, since it may have begun to move since the command was started. */
export function refusingWrites(file: SqliteDatabase, dataDir: string): SqliteDatabase {
  return {
    ...file,
    write: (work) =>
      file.write((db) => {
        const [row] = db.all<{ value: string }>('select value from settings where name = ?', MOVE_SETTING);
        const fault = row === undefined ? null : faultOf(parseMoveNote(row.value), dataDir);
        if (fault !== null) throw new StartError([fault]);
        return work(db);
      }),
  };
}

/** A database as a command writes to it: what it changes there is as much a reason not to go back as what a server does. */
export function notingWrites(store: Store): Store {
  const note = (): Promise<void> => refuseElsewhere(store, { dataDir: null, serves: true });
  return {
    ...store,
    commit: (change) => note().then(() => store.commit(change)),
    save: (noun, row) => note().then(() => store.save(noun, row)),
  };
}
