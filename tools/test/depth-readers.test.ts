import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';

import { testFilesByDepth } from '../lib/depth-readers.mjs';
import { run } from '../lib/steps.mjs';
import { sqlLoader } from '../lib/sql-text.mjs';
import { root } from '../lib/workspaces.mjs';

/** A repository of these files. */
function repository(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-depth-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['packages', 'sdks', 'apps', 'examples', 'tests', 'tools']) mkdirSync(join(folder, name));
  for (const [path, text] of Object.entries({ 'tests/depth.ts': 'export const isDeep = false;', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

it.each<[why: string, files: Readonly<Record<string, string>>]>([
  ['imports it', { 'tests/a/test/a.test.ts': `import { isDeep } from '../../depth.js';` }],
  [
    'imports what imports it',
    {
      'tests/a/test/a.test.ts': `import { all } from '../all.js';`,
      'tests/a/all.ts': `export * from './laws/index.js';`,
      'tests/a/laws/index.ts': `import { runs } from '../../depth.js';`,
    },
  ],
  [
    'starts a program that imports it',
    {
      'tests/a/test/a.test.ts': `spawn('node', [fileURLToPath(new URL('../program.tsx', import.meta.url))]);`,
      'tests/a/program.tsx': `const { isDeep } = await import("../depth.js");`,
    },
  ],
  [
    'names a script of the repository that imports it',
    {
      'tests/a/test/a.test.ts': 'run(`tests/a/script.mjs`);',
      'tests/a/script.mjs': `import '../depth.ts';`,
    },
  ],
])('a test file depends on the depth if it %s', (_, files) => {
  const { same, other } = testFilesByDepth(repository({ ...files, 'tests/b/test/b.test.ts': 'export {};' }), []);
  expect({ same, other }).toEqual({ same: ['tests/b/test/b.test.ts'], other: ['tests/a/test/a.test.ts'] });
});

it('a test file that a quick run leaves out is not the same in a deep run', () => {
  const folder = repository({ 'tests/a/test/a.test.ts': '', 'tests/b/test/b.test.ts': '' });
  expect(testFilesByDepth(folder, ['tests/b/test/b.test.ts']).other).toEqual(['tests/b/test/b.test.ts']);
});

it('no test file whose modules include the depth counts as the same', async () => {
  const { same, other } = testFilesByDepth();
  const { metafile } = await build({
    stdin: { contents: [...same, ...other].map((file) => `import './${file}';`).join('\n'), resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@gateramp/source'],
    loader: { ...sqlLoader, '.css': 'empty' },
    logLevel: 'error',
    plugins: [
      {
        name: 'others-stay-outside',
        setup: (building) =>
          building.onResolve({ filter: /^[^./]/ }, ({ path }) =>
            path.startsWith('@gateramp/') ? null : { path, external: true },
          ),
      },
    ],
  });
  const reaching = new Set(['tests/depth.ts']);
  const inputs = Object.entries(metafile.inputs);
  for (const reached of reaching)
    for (const [file, { imports }] of inputs) if (imports.some(({ path }) => path === reached)) reaching.add(file);
  expect(reaching.size).toBeGreaterThan(50);
  expect(same.filter((file) => reaching.has(file))).toEqual([]);
});

it('only tests/depth.ts tells tests how deep the run is', async () => {
  const { output } = await run('git', ['grep', '-lE', 'GATE_TEST_DEPTH|GATERAMP_TEST_AFTER_QUICK'], { cwd: root });
  const readers = output
    .trim()
    .split('\n')
    .filter((file) => !file.endsWith('.md'));
  expect(readers).toEqual([
    'package.json',
    'tests/depth.ts',
    'tools/explore.mjs',
    'tools/pictures.mjs',
    'tools/test.mjs',
    'tools/test/depth-readers.test.ts',
    'vitest.config.ts',
  ]);
});
