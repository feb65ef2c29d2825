import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, sqliteStore, type SqliteDatabase } from '@gateramp/adapters-store-sqlite';
import { MOVE_SETTING, moveNoteText, type MoveNote } from '@gateramp/store-move';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { refusingWrites } from '../src/move/noted-writes.js';

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
