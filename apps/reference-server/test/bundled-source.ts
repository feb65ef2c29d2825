import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll } from 'vitest';
import { sqlLoader } from '../../../tools/lib/sql-text.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
/** Beneath the workspace's own packages, so that what is not bundled is still found. */
const cache = fileURLToPath(new URL('../../../node_modules/.cache/gateramp', import.meta.url));

/** What finds the files that it serves by its own place stays in that. */
const SERVES_FILES: ReadonlySet<string> = new Set(['@gateramp/demo-shop', '@gateramp/widget']);

/**
 * The source of the server and its command line in two plain files, made when a test file is loaded: a process starts from them in a third
 * of the time that it takes to translate each module by itself. Only our own packages are bundled.
 */
export async function bundledSource(): Promise<{ readonly main: string; readonly cli: string }> {
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'server-'));
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: [join(folder, 'src/main.ts'), join(folder, 'src/cli.ts')],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    loader: sqlLoader,
    conditions: ['@gateramp/source'],
    plugins: [
      {
        name: 'others-stay-outside',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || (path.startsWith('@gateramp/') && !SERVES_FILES.has(path))
              ? null
              : { path, external: true },
          ),
      },
    ],
  });
  return { main: join(outdir, 'main.mjs'), cli: join(outdir, 'cli.mjs') };
}
