import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { supportedNodes } from '../../tests/consumers/nodes.js';
import { accepts, productionTree } from '../lib/production-tree.mjs';
import { run } from '../lib/steps.mjs';
import { oldestNode, root, workspacesInOrder } from '../lib/workspaces.mjs';
import { publishable, usesOf } from '../pack.mjs';

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Parameters<typeof productionTree>[0];
const published = workspacesInOrder().filter(({ manifest }) => !manifest.private);
const folderOf = ({ dir }: { dir: string }): string => dir.slice(root.length + 1).replaceAll('\\', '/');

describe('what comes with the published packages', () => {
  const tree = productionTree(lock, published.map(folderOf));

  it('is no bundler, compiler or test runner', () => {
    const tool =
      /^(?:@rollup\/.*|rollup|rolldown|@esbuild\/.*|esbuild|vite|vitest|@vitest\/.*|webpack|tsup|tsx|typescript|jest)$/;
    expect(tree.filter(({ name }) => tool.test(name)).map(({ name, by }) => `${name}, by ${by}`)).toEqual([]);
  });

  it('runs on the oldest Node that `engines` names', () => {
    // A dependency of Fastify that requires Node 22, but is plain JavaScript that runs on 20, as the consumer run shows.
    const known = ['node_modules/light-my-request/node_modules/cookie'];
    const tooNew = tree.filter(({ node, path }) => !known.includes(path) && !accepts(node, oldestNode()));
    expect(tooNew.map(({ name, version, node, by }) => `${name} ${version} needs Node ${node}, by ${by}`)).toEqual([]);
  });

  it('is not a test kit, which comes for those who ask for it', () => {
    const kits = ['@gateramp/testing', '@gateramp/conformance'];
    const dependents = published
      .filter(({ manifest }) => !kits.includes(manifest.name))
      .filter(({ manifest }) => kits.some((kit) => kit in { ...manifest.dependencies, ...manifest.peerDependencies }));
    expect(dependents.map(({ manifest }) => manifest.name)).toEqual([]);
  });

  it('is no property-based testing where only createTestGate was asked for', () => {
    const withTesting = productionTree(lock, ['packages/testing']);
    expect(withTesting.map(({ name }) => name)).not.toContain('fast-check');
  });
});

it('the lock file has each optional dependency for each platform: npm ci refuses one that names what it does not have', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
  };
  const foldersAbove = (path: string): string[] =>
    path === '' ? [''] : [path, ...foldersAbove(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))))];
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) => !foldersAbove(path).some((above) => `${above}/node_modules/${name}`.replace(/^\//, '') in packages),
      )
      .map((name) => `${name}, which ${path} names`),
  );
  expect(missing).toEqual([]);
});

it('docs/install.md has the commands that `npm run pack` prints', () => {
  const page = readFileSync(join(root, 'docs/install.md'), 'utf8');
  expect(page).toContain(`\`\`\`sh\n${usesOf(publishable(), './gateramp-packs')}\n\`\`\``);
});

it('`npm run pack` prints a use of every package', () => {
  const uses = usesOf(publishable(), '.');
  const unused = published.filter(({ manifest }) => !uses.includes(`/${manifest.name.replace('@gateramp/', '')}.tgz`));
  expect(unused.map(({ manifest }) => manifest.name)).toEqual([]);
});

it.each(['--help', 'package.json'])('`npm run pack -- %s` says what it takes, and writes nothing', async (folder) => {
  const ran = await run(process.execPath, [join(root, 'tools/pack.mjs'), folder], { cwd: root });
  expect(ran.code).toBe(1);
  expect(ran.output).toMatch(/^\n.*is not a folder.*\n$/);
});

/** Programs have a `bin` and nothing to import. */
const isProgram = ({ bin }: { readonly bin?: unknown }): boolean => bin !== undefined;

describe.each(published.map((workspace) => ({ ...workspace, name: workspace.manifest.name as string })))(
  '$name',
  ({ dir, manifest, name }) => {
    it('names its repository, its licence, the Node it needs and the files it has', () => {
      const { license, engines, files, sideEffects, repository } = manifest;
      expect({ license, engines, files, sideEffects, repository }).toEqual({
        license: 'MIT',
        engines: { node: `>=${oldestNode()}` },
        files: ['dist', '!dist/.stamp', ...(existsSync(join(dir, 'templates')) ? ['templates'] : [])],
        // A program has nothing to tree-shake.
        sideEffects: isProgram(manifest) ? undefined : false,
        repository: { type: 'git', url: expect.stringMatching(/^git\+https:/), directory: folderOf({ dir }) },
      });
    });

    it('explains itself and carries the licence', () => {
      expect(readFileSync(join(dir, 'README.md'), 'utf8')).toContain(`# ${name}\n`);
      expect(readFileSync(join(dir, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
    });

    it('can be imported and required, with types for each, or is a program to be run', () => {
      if (isProgram(manifest))
        return expect(manifest.exports['.'].default).toBe(`./${Object.values<string>(manifest.bin)[0]}`);
      for (const [subpath, { import: esm, require: commonjs }] of Object.entries<
        Record<string, Record<string, string>>
      >(manifest.exports)) {
        const base = `./dist/${subpath === '.' ? 'index' : `${subpath.slice(2)}/index`}`;
        expect(esm, subpath).toEqual({ types: `${base}.d.ts`, default: `${base}.js` });
        expect(commonjs, subpath).toEqual({ types: `${base}.d.cts`, default: `${base}.cjs` });
      }
    });
  },
);

it('the consumer run takes the oldest Node, 22 and 24', () => {
  expect(supportedNodes().map((version) => version.replace(/^(2[24])\..*/, '$1'))).toEqual([oldestNode(), '22', '24']);
});

it('the places that choose a Node agree', () => {
  const images = readFileSync(join(root, 'Dockerfile'), 'utf8').match(/^FROM node:\S+/gm) ?? [];
  expect(images.length).toBeGreaterThan(0);
  expect(new Set(images).size).toBe(1);
  for (const image of images) expect(image).toMatch(/^FROM node:22-bookworm-slim@sha256:[0-9a-f]{64}$/);
  for (const { manifest } of workspacesInOrder())
    expect(manifest.engines.node, manifest.name).toBe(`>=${oldestNode()}`);
});
