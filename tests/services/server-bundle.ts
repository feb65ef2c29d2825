import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { serviceOfRun, type Service } from './service.js';
import { sqlLoader } from '../../tools/lib/sql-text.mjs';

const folder = fileURLToPath(new URL('../../apps/reference-server', import.meta.url));
/** Beneath the workspace's own packages, so that what is not bundled is still found. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/gateramp', import.meta.url));

/** What finds the files that it serves by its own place stays in that. */
const SERVES_FILES: ReadonlySet<string> = new Set(['@gateramp/demo-shop', '@gateramp/widget']);

/** The source of the reference server and of its command line, each in a plain file. */
export interface ServerBundle {
  readonly main: string;
  readonly cli: string;
}

/** The one of this run. A process starts from it in a third of the time that it takes to translate each module by itself. */
export async function serverBundle(): Promise<ServerBundle> {
  return bundleIn(await serviceOfRun('server-bundle'));
}

const bundleIn = (dir: string): ServerBundle => ({ main: join(dir, 'main.mjs'), cli: join(dir, 'cli.mjs') });

/** Only our own packages are bundled. */
export async function buildServerBundle(): Promise<Service> {
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'server-'));
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
        setup: (building) =>
          building.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || (path.startsWith('@gateramp/') && !SERVES_FILES.has(path))
              ? null
              : { path, external: true },
          ),
      },
    ],
  });
  return { url: outdir, stop: async () => rmSync(outdir, { recursive: true, force: true }) };
}
