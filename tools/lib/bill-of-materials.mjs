import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { productionTree } from './production-tree.mjs';
import { root } from './workspaces.mjs';

/**
 * The bill of materials of packed packages, in CycloneDX 1.5: each package with the hash of its tarball and the libraries whose code is in
 * it, and each library that installing them brings, at the version that was tested. It has no time and no random number, so that equal
 * tarballs give equal bills. `npm sbom` leaves out dependencies of workspaces.
 *
 * @param {readonly { dir: string, manifest: any }[]} packages
 * @param {readonly { name: string, file: string, contents: readonly string[] }[]} tarballs of the packages, in the same order
 */
export function billOfMaterials(packages, tarballs) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const own = packages.map(({ dir, manifest }, at) => {
    const { file, contents } = tarballs[at];
    const bundled = bundledIn(dir, contents);
    return {
      ...component(manifest.name, manifest),
      hashes: [{ alg: 'SHA-512', content: createHash('sha512').update(readFileSync(file)).digest('hex') }],
      ...(bundled.length > 0 && { components: bundled.map((name) => library(lock, `node_modules/${name}`)) }),
    };
  });
  const folders = packages.map(({ dir }) => dir.slice(root.length + 1).replaceAll('\\', '/'));
  const brought = new Set(productionTree(lock, folders).map(({ path }) => path));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    components: [...own, ...distinct([...brought].sort().map((path) => library(lock, path)))],
  };
}

/** The libraries whose licences a build put next to their code: in one file of a page, or in a file for each. */
export function bundledIn(dir, contents) {
  const names = contents.flatMap((path) => {
    if (path.endsWith('/LICENSE.md'))
      return [...readFileSync(join(dir, path), 'utf8').matchAll(/^## (\S+) - /gm)].map(([, name]) => name);
    return /^dist\/LICENSE\.\w+$/.test(path) ? [path.slice('dist/LICENSE.'.length)] : [];
  });
  return [...new Set(names)].sort();
}

function library(lock, path) {
  const entry = lock.packages[path];
  const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const [alg, digest] = entry.integrity?.split('-') ?? [];
  return {
    ...component(name, entry),
    ...(alg === 'sha512' && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  };
}

function component(name, { version, license }) {
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  };
}

/** A library can be installed at several places. */
const distinct = (components) => [...new Map(components.map((one) => [one.purl, one])).values()];
