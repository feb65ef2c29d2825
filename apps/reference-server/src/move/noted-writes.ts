import type { SqliteDatabase } from '@gateramp/adapters-store-sqlite';
import type { Settings, Store } from '@gateramp/core/ports';
import type { LegsStore } from '@gateramp/provider-legs';
import { MOVE_SETTING, parseMoveNote } from '@gateramp/store-move';
import { StartError } from '../start-error.js';
import { faultOf, refuseElsewhere } from './refuse-elsewhere.js';

/** The database of a folder for commands: checks for a move in the same transaction, since one may have started after the command. */
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

/** The store of a database for commands: like a server, their changes are a reason not to move back. */
export function notingWrites(store: Store): Store {
  const note = noteOf(store);
  return {
    ...store,
    commit: (change) => note().then(() => store.commit(change)),
    save: (...args) => note().then(() => store.save(...args)),
    removeConsumer: (...args) => note().then(() => store.removeConsumer(...args)),
  };
}

/** The same of the store of provider legs. */
export function notingLegWrites(settings: Settings, legsStore: LegsStore): LegsStore {
  const note = noteOf(settings);
  return { ...legsStore, commit: (change) => note().then(() => legsStore.commit(change)) };
}

function noteOf(settings: Settings): () => Promise<void> {
  return () => refuseElsewhere(settings, { dataDir: null, serves: true });
}
