import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TryAgain } from '@gateramp/core/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { writeArchive } from '../src/cli/partition-archive.js';
import { errorText } from '../src/cli/error-text.js';
import { migratedDatabase, runGate } from './run-gate.js';

const ALTERED =
  'The setting audit_head was changed by something other than Gateramp, so nothing can be added to the audit trail. Run "gate audit verify", then "gate audit accept".';

/** Whatever an operator can fix is printed as a message. A stack trace is left to bugs. */
describe('gate refuses without a stack trace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-refusals-'));
  let database: ScratchDatabase;
  let settings: Readonly<Record<string, string>>;

  beforeAll(async () => {
    ({ database, settings } = await migratedDatabase());
  });

  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  it.each(['forged', 'of an earlier entry'])('a change while the end of the audit trail is %s', async (end) => {
    const id = (await runGate('partners create --name Acme', settings)).out;
    const [earlier] = await database.query("select value from gateramp.settings where name = 'audit_head'");
    await runGate(`partners update ${id} --name Bolt`, settings);
    const value = end === 'forged' ? end : String(earlier?.['value']);
    await database.query(`update gateramp.settings set value = '${value}' where name = 'audit_head'`);
    for (const change of [`keys issue --partner ${id} --mode test`, `partners pause ${id} --reason incident --json`])
      expect(await runGate(change, settings), change).toEqual({ code: 1, out: '', err: ALTERED });
    expect(await runGate('audit accept --reason restored', settings)).toMatchObject({ code: 0, err: '' });
    expect(await runGate(`keys issue --partner ${id} --mode test`, settings)).toMatchObject({ code: 0 });
  });

  it.each([
    ['not encrypted', () => 'plain', /^GATE_MASTER_KEY: The stored pepper is not encrypted text\. Restore .+\.$/],
    [
      'altered',
      (sealed: string) => sealed.replace(/.{4}$/, 'AAA='),
      /^GATE_MASTER_KEY: The stored pepper cannot be decrypted with its master key [0-9a-f]{16}: .+$/,
    ],
    [
      'of another master key',
      (sealed: string) => sealed.replace(/\.[0-9a-f]{16}\./, '.0123456789abcdef.'),
      /^GATE_MASTER_KEY: The stored pepper was encrypted with master key 0123456789abcdef, .+$/,
    ],
  ])('any command while the stored pepper is %s', async (_what, alter, message) => {
    const own = await migratedDatabase();
    await runGate('partners list', own.settings);
    const [row] = await own.database.query("select value from gateramp.settings where name = 'pepper'");
    await own.database.query(
      `update gateramp.settings set value = '${alter(String(row?.['value']))}' where name = 'pepper'`,
    );
    expect(await runGate('partners list', own.settings)).toMatchObject({
      code: 1,
      err: expect.stringMatching(message),
    });
    await own.database.drop();
  });

  it.each([
    ['is missing', null],
    ['is not JSON', 'rows'],
    ['is not a manifest', '{}'],
  ])('to verify an archive whose manifest %s', async (_what, text) => {
    const path = join(folder, text === null ? 'missing.json' : 'manifest.json');
    if (text !== null) writeFileSync(path, text);
    const { code, err } = await runGate(`partition verify ${path}`, {});
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^The manifest .+ cannot be read: .+\.$/) });
  });

  it('to archive into what is not a folder', async () => {
    const path = join(folder, 'taken');
    writeFileSync(path, '');
    const rows = async function* () {
      yield ['{"id":"1"}'];
    };
    const partition = { name: 'events_2020_01', table: 'events' as const, columns: ['id'], schemaVersion: 1, rows };
    for (const place of [path, join(path, 'within')]) {
      const error: unknown = await writeArchive(place, partition).catch((thrown: unknown) => thrown);
      expect(errorText(error)).toMatch(/^The archive cannot be written to .+\.$/);
    }
  });

  it('what too many others change at the same time', () => {
    expect(errorText(new TryAgain())).toBe('The resource was changed concurrently; try again.');
  });

  it('but prints the stack of a bug', () => {
    expect(errorText(new Error('A stored intent is missing.'))).toMatch(/^Error: A stored intent is missing\.\n +at /);
  });
});
