import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { npm } from '../../tools/lib/npm.mjs';
import { PlainError } from '../../tools/lib/steps.mjs';
import { entriesOf, root, workspacesInOrder } from '../../tools/lib/workspaces.mjs';

/** The packages that are written; one that is only a manifest yet has nothing to pack. */
export function publishable() {
  return workspacesInOrder()
    .filter(({ manifest }) => !manifest.private)
    .filter((workspace) =>
      Object.values(entriesOf(workspace).entries).every((source) => existsSync(join(workspace.dir, source))),
    );
}

/** @returns {Promise<Array<{ name: string, file: string, contents: string[] }>>} */
export async function pack(packages, destination) {
  mkdirSync(destination, { recursive: true });
  const names = packages.flatMap(({ manifest }) => ['--workspace', manifest.name]);
  const output = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...names], root);
  // npm may say something before it answers.
  const packed = JSON.parse(output.slice(output.search(/^[[{]/m)));
  return packages.map(({ manifest }) => {
    const { filename, files } = packed.find(({ name }) => name === manifest.name);
    return { name: manifest.name, file: join(destination, filename), contents: files.map(({ path }) => path) };
  });
}

/** Each has what a stranger looks for, and nothing but what was built. */
export async function checkContents(tarballs) {
  complain(tarballs.flatMap(({ name, contents }) => contentFaults(contents).map((fault) => `${name}: ${fault}`)));
}

function contentFaults(contents) {
  const missing = [
    'README.md',
    'LICENSE',
    'dist/index.js',
    'dist/index.cjs',
    'dist/index.d.ts',
    'dist/index.d.cts',
  ].filter((path) => !contents.includes(path));
  const strange = contents.filter(
    (path) =>
      !/^(?:package\.json|README\.md|LICENSE|dist\/(?:LICENSE\.\w+|[\w/-]+\.(?:d\.ts|d\.cts|c?js|c?js\.map)))$/.test(
        path,
      ),
  );
  return [...missing.map((path) => `has no ${path}`), ...strange.map((path) => `should not have ${path}`)];
}

/** publint: fields and files fit each other. */
export async function lint(tarballs) {
  const [{ publint }, { formatMessage }] = await Promise.all([import('publint'), import('publint/utils')]);
  const faults = [];
  for (const { name, file } of tarballs) {
    const bytes = readFileSync(file);
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    faults.push(...messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`));
  }
  complain(faults);
}

/** attw: every subpath has right types for `import`, for `require`, for bundlers, and for TypeScript's old resolution. Nothing is excused. */
export async function checkTypes(tarballs) {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
  const faults = [];
  for (const { name, file } of tarballs) {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(file))));
    if (result.types === false) faults.push(`${name}: has no types`);
    else faults.push(...result.problems.map(({ kind, ...where }) => `${name}: ${kind} ${JSON.stringify(where)}`));
  }
  complain(faults);
}

function complain(faults) {
  if (faults.length > 0) throw new PlainError(faults.join('\n'));
}
