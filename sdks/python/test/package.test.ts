import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathWithHttpx, pythons, PYTHON_FOLDER, run } from './python.js';

const pyright = join(createRequire(import.meta.url).resolve('pyright/package.json'), '../index.js');
const [python = 'python3'] = await pythons();
const manifest = readFileSync(join(PYTHON_FOLDER, 'pyproject.toml'), 'utf8');
const version = /^version = "(.+)"$/m.exec(manifest)?.[1] ?? '';
const hasPip = (await run(python, ['-m', 'pip', '--version']))?.code === 0;

describe('the Python package, as it is published', () => {
  let paths: NodeJS.ProcessEnv;
  beforeAll(async () => {
    paths = { PYTHONPATH: await pathWithHttpx(python) };
  });
  const folder = mkdtempSync(join(tmpdir(), 'gate-python-package-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('satisfies a strict type checker, its tests and tools too', async () => {
    const checked = await run(process.execPath, [pyright, '--project', PYTHON_FOLDER], paths);
    expect(checked?.output).toMatch(/^0 errors, 0 warnings/m);
  });

  it('gives a type checker the type of everything it exports', async () => {
    const checked = await run(process.execPath, [pyright, '--verifytypes', 'gateramp', '--ignoreexternal'], paths);
    expect(checked?.output).toContain('Type completeness score: 100%');
  });

  it.runIf(hasPip)('is built by pip without a package index', async () => {
    const built = await run(python, ['-m', 'pip', 'wheel', '--no-index', '--no-deps', '--wheel-dir', folder, '.']);
    expect(built?.output).toContain('Successfully built gateramp');
    expect(readdirSync(folder)).toEqual([`gateramp-${version}-py3-none-any.whl`]);
  });
});
