import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { build } from '../build.mjs';
import { root } from '../lib/workspaces.mjs';
import { pack, publishable } from '../pack.mjs';

/** A library with declarations, a program with templates, and pages with the licences of what they bundle. */
const PACKED = ['@gateramp/sdk-browser', 'create-gateramp', '@gateramp/widget'];

const scratch = mkdtempSync(join(tmpdir(), 'gate-reproducible-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('two builds in different folders, with another umask, time zone, language and NODE_ENV, are packed to the same bytes', async () => {
  const clone = cloneInto(join(scratch, 'deeper/elsewhere'));
  const elsewhere = join(scratch, 'elsewhere');
  execFileSync(
    'sh',
    ['-c', 'umask 077; exec "$0" --input-type=module --eval "$1"', process.execPath, program(clone, elsewhere)],
    {
      cwd: clone,
      env: { ...process.env, TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', NODE_ENV: 'development' },
    },
  );

  const here = join(scratch, 'here');
  await build({ types: true, only: PACKED });
  const packed = await pack(
    publishable().filter(({ manifest }) => PACKED.includes(manifest.name)),
    here,
  );
  expect(packed).toHaveLength(PACKED.length);
  const files = ['index.json', 'sbom.cdx.json', ...packed.map(({ file }) => relative(here, file))];
  const hashes = (folder: string): readonly string[] => files.map((file) => `${file} ${hashOf(join(folder, file))}`);
  expect(hashes(elsewhere)).toEqual(hashes(here));
});

/** A copy of what git lists. Its dependencies are links to the same bytes where the file system allows it. */
function cloneInto(folder: string): string {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of listed.toString().split('\0').slice(0, -1))
    // Another test may have removed a file of its own since, and a deleted one is still listed.
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path));
  const modules = [join(root, 'node_modules'), join(folder, 'node_modules')] as const;
  try {
    execFileSync('cp', ['-al', ...modules], { stdio: 'pipe' });
  } catch {
    execFileSync('cp', ['-a', ...modules]);
  }
  rmSync(join(folder, 'node_modules/.cache'), { recursive: true, force: true });
  return folder;
}

/** Builds and packs the same packages by the tools of the clone. */
const program = (clone: string, folder: string): string => `
  import { build } from ${JSON.stringify(`${clone}/tools/build.mjs`)};
  import { pack, publishable } from ${JSON.stringify(`${clone}/tools/pack.mjs`)};
  const only = ${JSON.stringify(PACKED)};
  await build({ types: true, only });
  await pack(publishable().filter(({ manifest }) => only.includes(manifest.name)), ${JSON.stringify(folder)});
`;

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
