import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

const sourceCondition = '@gateramp/source';

/** The folders that contain npm workspaces. */
export const workspaceFolders = ['packages', 'sdks', 'apps', 'examples'];

/** Code for a browser, or that drives one: each folder is a separate TypeScript program, with DOM types. */
const webFolders = [
  'sdks/browser',
  'sdks/react',
  'apps/widget',
  'apps/console',
  'apps/demo-shop/page',
  'tests/browser',
];

/** @returns {string[]} */
export const webPrograms = () =>
  webFolders.map((folder) => `${folder}/tsconfig.json`).filter((path) => existsSync(join(root, path)));

/** @param {string} dir @returns {{ dir: string, manifest: any }} */
export function readPackage(dir) {
  return { dir, manifest: JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) };
}

/**
 * The oldest Node that the packages support, from the engine's manifest.
 *
 * @returns {string}
 */
export const oldestNode = () => readPackage(join(root, 'packages/core')).manifest.engines.node.replace('>=', '');

/**
 * All workspaces, each after its dependencies.
 *
 * @returns {{ dir: string, manifest: any }[]}
 */
export function workspacesInOrder(rootDir = root) {
  const all = workspaceFolders.flatMap((folder) =>
    !existsSync(join(rootDir, folder))
      ? []
      : readdirSync(join(rootDir, folder))
          .sort()
          .map((name) => join(rootDir, folder, name))
          .filter((dir) => existsSync(join(dir, 'package.json')))
          .map(readPackage),
  );
  const byName = new Map(all.map((workspace) => [workspace.manifest.name, workspace]));
  const ordered = new Set();
  const visit = (workspace) => {
    if (ordered.has(workspace)) return;
    internalDependencies(workspace.manifest).forEach((name) => byName.has(name) && visit(byName.get(name)));
    ordered.add(workspace);
  };
  all.forEach(visit);
  return [...ordered];
}

/** The sibling packages that a build needs; development dependencies may be circular and are excluded. */
export function internalDependencies(manifest) {
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter((name) =>
    name.startsWith('@gateramp/'),
  );
}

/**
 * The build entries, derived from `exports`: `{ 'ports/index': 'src/ports/index.ts' }`.
 *
 * @param {{ dir: string, manifest: any }} workspace
 */
export function entriesOf({ manifest }) {
  /** @type {Record<string, string>} */
  const entries = {};
  let hasTypes = false;
  for (const target of Object.values(manifest.exports ?? {})) {
    if (typeof target !== 'object' || target === null || !target[sourceCondition]) continue;
    const built = target.import?.default ?? target.default;
    entries[built.replace(/^\.\/dist\//, '').replace(/\.js$/, '')] = target[sourceCondition].replace(/^\.\//, '');
    hasTypes ||= target.import?.types !== undefined;
  }
  return { entries, hasTypes };
}
