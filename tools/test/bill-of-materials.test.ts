import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { billOfMaterials, bundledIn } from '../lib/bill-of-materials.mjs';
import { root } from '../lib/workspaces.mjs';
import { publishable } from '../pack.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'gate-bill-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const tarball = join(scratch, 'any.tgz');
writeFileSync(tarball, 'bytes');

const packages = publishable();
const tarballs = packages.map(({ manifest }) => ({ name: manifest.name as string, file: tarball, contents: [] }));
const bill = billOfMaterials(packages, tarballs);
const byName = new Map(bill.components.map((one) => [one.name, one]));

it('names each package with the hash of its tarball, and each of its dependencies with version, licence and hash', () => {
  const content = createHash('sha512').update('bytes').digest('hex');
  for (const { manifest } of packages) {
    expect(byName.get(manifest.name)).toMatchObject({
      version: manifest.version,
      hashes: [{ alg: 'SHA-512', content }],
    });
    for (const [name, version] of Object.entries(manifest.dependencies ?? {}))
      expect(byName.get(name), `${name}, of ${manifest.name}`).toMatchObject({ version });
  }
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
  };
  const jose = locked['node_modules/jose'];
  expect(byName.get('jose')).toEqual({
    type: 'library',
    name: 'jose',
    version: jose?.version,
    purl: `pkg:npm/jose@${jose?.version}`,
    licenses: [{ expression: 'MIT' }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(jose?.integrity.slice(7) ?? '', 'base64').toString('hex') }],
  });
});

it('names nothing twice, and a licence of everything', () => {
  const purls = bill.components.map(({ purl }) => purl);
  expect(new Set(purls).size).toBe(purls.length);
  expect(bill.components.filter((one) => !('licenses' in one)).map(({ name }) => name)).toEqual([]);
});

it('finds the libraries whose code a package contains by the licences in its tarball', () => {
  mkdirSync(join(scratch, 'dist/page'), { recursive: true });
  const licences = '# Licenses\n\n## preact - 10.0.0 (MIT)\n\n## @noble/hashes - 1.8.0 (MIT)\n';
  writeFileSync(join(scratch, 'dist/page/LICENSE.md'), licences);
  const contents = ['dist/page/LICENSE.md', 'dist/LICENSE.jose', 'LICENSE', 'dist/index.js'];
  expect(bundledIn(scratch, contents)).toEqual(['@noble/hashes', 'jose', 'preact']);
});
