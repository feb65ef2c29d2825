import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { openSqlite, sqliteStore, type SqliteDatabase } from '@gateramp/adapters-store-sqlite';
import { memoryLegsStore } from '@gateramp/provider-legs';
import { MOVE_SETTING, moveNoteText, readMoveNote, type MoveNote } from '@gateramp/store-move';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { notingLegWrites, refusingWrites } from '../src/move/noted-writes.js';

let dir: string;
let file: SqliteDatabase;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gateramp-noted-'));
  file = openSqlite(join(dir, 'gate.db'));
});
afterEach(() => {
  file.close();
  rmSync(dir, { recursive: true, force: true });
});

it.each<[string, MoveNote]>([
  ['is being moved to postgres://db/gate', { state: 'leaving', id: 'm', to: 'postgres://db/gate' }],
  ['has moved to postgres://db/gate', { state: 'left', id: 'm', to: 'postgres://db/gate' }],
])('a command that was begun before writes nothing to a folder that %s', async (said, note) => {
  const ofCommand = sqliteStore(refusingWrites(file, dir));
  expect(await ofCommand.swapSetting('before', null, '1')).toBe('1');
  await sqliteStore(file).swapSetting(MOVE_SETTING, null, moveNoteText(note));
  await expect(ofCommand.swapSetting('since', null, '1')).rejects.toThrow(`GATE_DATA_DIR: "${dir}" ${said}`);
  expect(await sqliteStore(file).readSetting('since')).toBeNull();
});

it('a command that changes a wallet or an operation is a reason not to move back', async () => {
  const store = memoryStore();
  await store.swapSetting(MOVE_SETTING, null, moveNoteText({ state: 'arrived', id: 'm' }));
  const ofCommand = notingLegWrites(store, memoryLegsStore(store));
  await ofCommand.load('evm_wallet', 'base');
  expect((await readMoveNote(store)).note).toMatchObject({ state: 'arrived' });
  await ofCommand.commit({ documents: [], entries: [] });
  expect((await readMoveNote(store)).note).toMatchObject({ state: 'serving' });
});
