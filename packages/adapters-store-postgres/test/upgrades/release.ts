import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrations } from '../../src/index.js';
import type { Target } from '../../src/migrations/migrate.js';

/** A database as one released version left it, and the later statements of a process of that version. */
export interface Release {
  readonly version: string;
  /** Its migrations, as each was released. */
  readonly migrations: readonly { readonly name: string; readonly sha256: string }[];
  /** The time in the database when the last statement was answered. */
  readonly now: number;
  /** The answers to partners at the end: paths with their responses in that version. */
  readonly answers: readonly { readonly path: string; readonly status: number; readonly json: unknown }[];
  /** Columns as text, so that every byte of a document is restored. */
  readonly rows: readonly TableRow[];
  readonly statements: readonly Statement[];
}

export interface TableRow {
  readonly table: string;
  readonly row: Readonly<Record<string, string | null>>;
}

/** One statement of the version, in the order of its single connection, with a schema called `gate`. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The rows of the answer, null if they cannot be compared, or the code of the error. */
  readonly answer: { readonly rows: readonly unknown[] | null } | { readonly error: string };
}

const folder = fileURLToPath(new URL('releases', import.meta.url));

export function releases(): readonly Release[] {
  return readdirSync(folder).map(readRelease);
}

function readRelease(version: string): Release {
  const text = (file: string): string => readFileSync(join(folder, version, file), 'utf8');
  const lines = <Line>(file: string): readonly Line[] =>
    text(file)
      .trimEnd()
      .split('\n')
      // Written below with this type.
      .map((line) => JSON.parse(line) as Line);
  const rest = JSON.parse(text('release.json')) as Omit<Release, 'rows' | 'statements' | 'answers'>;
  return {
    ...rest,
    answers: lines('answers.jsonl'),
    rows: lines('rows.jsonl'),
    statements: lines('statements.jsonl'),
  };
}

export function writeRelease({ answers, rows, statements, ...rest }: Release): void {
  const into = join(folder, rest.version);
  const lines = (all: readonly unknown[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join('');
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, 'release.json'), `${JSON.stringify(rest, null, 2)}\n`);
  writeFileSync(join(into, 'answers.jsonl'), lines(answers));
  writeFileSync(join(into, 'rows.jsonl'), lines(rows));
  writeFileSync(join(into, 'statements.jsonl'), lines(statements));
}

/** The identity of a migration, independent of the schema: a released one never changes. */
export function fingerprints(): Release['migrations'] {
  return migrations('gate').map(({ name, sql }) => ({ name, sha256: createHash('sha256').update(sql).digest('hex') }));
}

/** The release as a target of `migrateTo`. This version still has the migrations that it was created with. */
export function versionOf(release: Release, schema: string): Target {
  return { known: migrations(schema).slice(0, release.migrations.length), usableFrom: 0 };
}
