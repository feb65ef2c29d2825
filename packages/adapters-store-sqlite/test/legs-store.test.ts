import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeLaws, legsStoreLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { openSqlite, sqliteLegsStore, sqliteStore } from '../src/index.js';

const subject = {
  create: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gate-legs-'));
    const database = openSqlite(join(folder, 'gate.db'));
    const close = async () => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return { store: sqliteLegsStore(database), gateStore: sqliteStore(database), close };
  },
};
describeLaws(legsStoreLaws, subject, { describe, it });
