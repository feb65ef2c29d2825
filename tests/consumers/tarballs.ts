import { readFileSync } from 'node:fs';

import { PlainError } from '../../tools/lib/steps.mjs';
import { pack } from '../../tools/pack.mjs';

/** The parts of a workspace that are read. */
export interface Workspace {
  readonly dir: string;
  readonly manifest: {
    readonly name: string;
    readonly private?: boolean;
    readonly bin?: Readonly<Record<string, string>>;
    readonly exports?: unknown;
  };
}

export interface Tarball {
  readonly name: string;
  readonly file: string;
  readonly contents: readonly string[];
  /** The files that its `exports` name. */
  readonly entries: readonly string[];
  /** Its programs; none for a library. */
  readonly programs: readonly string[];
}

/** Each package as `npm run pack` writes it. */
export async function tarballsOf(packages: readonly Workspace[], destination: string): Promise<Tarball[]> {
  const packed = await pack(packages, destination);
  return packages.map(({ manifest }, at) => {
    const found = packed[at];
    if (found?.name !== manifest.name) throw new PlainError(`${manifest.name} was not packed.`);
    return { ...found, entries: builtIn(manifest.exports), programs: Object.values(manifest.bin ?? {}) };
  });
}

/** The built files in a value of `exports`; conditions for the source are not packed. */
function builtIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('./dist/') ? [value.slice('./'.length)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(builtIn) : [];
}

/** Each has the files that users expect, and only built files. */
export function checkContents(tarballs: readonly Tarball[]): void {
  complain(tarballs.flatMap((tarball) => contentFaults(tarball).map((fault) => `${tarball.name}: ${fault}`)));
}

const OF_EVERY_PACKAGE = /^(?:package\.json|README\.md|LICENSE)$/;
const OF_A_MODULE = /^dist\/(?:LICENSE\.\w+|[\w/-]+\.(?:d\.ts|d\.cts|c?js|c?js\.map))$/;
const OF_A_PAGE =
  /^dist\/(?:page\/index\.html|preview\/preview\.html|(?:page|preview)\/(?:LICENSE\.md|assets\/[\w.-]+\.(?:js|css|svg)))$/;
/** Of create-gateramp: what it copies into a project. */
const OF_A_TEMPLATE = /^templates\/[\w./[\]-]+$/;

function contentFaults({ contents, entries, programs }: Tarball): string[] {
  const needed = ['README.md', 'LICENSE', ...(programs.length > 0 ? programs : entries)];
  if (programs.length + entries.length === 0) return ['has nothing to import or to run'];
  const missing = needed.filter((path) => !contents.includes(path));
  const strange = contents.filter((path) =>
    [OF_EVERY_PACKAGE, OF_A_MODULE, OF_A_PAGE, OF_A_TEMPLATE].every((known) => !known.test(path)),
  );
  return [...missing.map((path) => `has no ${path}`), ...strange.map((path) => `should not have ${path}`)];
}

/** publint: the fields of the manifest match the files. */
export async function lint(tarballs: readonly Tarball[]): Promise<void> {
  const [{ publint }, { formatMessage }] = await Promise.all([import('publint'), import('publint/utils')]);
  const faults: string[] = [];
  for (const { name, file } of tarballs) {
    const bytes = readFileSync(file);
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    faults.push(...messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`));
  }
  complain(faults);
}

/**
 * attw: every subpath of a library has correct types for `import`, `require`, bundlers and TypeScript's old resolution,
 * without exceptions.
 */
export async function checkTypes(tarballs: readonly Tarball[]): Promise<void> {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
  const faults: string[] = [];
  for (const { name, file } of tarballs.filter(({ programs }) => programs.length === 0)) {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(file))));
    if (result.types === false) faults.push(`${name}: has no types`);
    else faults.push(...result.problems.map(({ kind, ...where }) => `${name}: ${kind} ${JSON.stringify(where)}`));
  }
  complain(faults);
}

function complain(faults: readonly string[]): void {
  if (faults.length > 0) throw new PlainError(faults.join('\n'));
}
