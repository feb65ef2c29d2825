import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { serviceOfRun, type Service } from './service.js';
import { sqlLoader } from '../../tools/lib/sql-text.mjs';

const apps = fileURLToPath(new URL('../../apps', import.meta.url));
/** Beneath the workspace's own packages, so that what is not bundled is still found. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/gateramp', import.meta.url));

/** What finds the files that it serves by its own place stays in that. */
const SERVES_FILES: ReadonlySet<string> = new Set(['@gateramp/demo-shop', '@gateramp/widget']);

/** The programs, each in a plain file. */
export interface Programs {
  /** The reference server. */
  readonly server: string;
  /** `gate`, for operators. */
  readonly gate: string;
  /** `gateramp`, for partners. */
  readonly gateramp: string;
}

/** Bundled once a run: a process starts from them in a sixth of the time that it takes to translate each module by itself. */
export async function bundledPrograms(): Promise<Programs> {
  const dir = await serviceOfRun('programs');
  return { server: join(dir, 'server.mjs'), gate: join(dir, 'gate.mjs'), gateramp: join(dir, 'gateramp.mjs') };
}

/** Bundled with our own packages, because every program loads these and their files are many. */
const OFTEN_LOADED = /^(@gateramp|zod|pg|undici|jose|neverthrow|commander)(\/|$)/;

/** CommonJS that is bundled into an ES module still requires what Node itself has. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

export async function bundlePrograms(): Promise<Service> {
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'programs-'));
  await build({
    entryPoints: {
      server: join(apps, 'reference-server/src/main.ts'),
      gate: join(apps, 'reference-server/src/cli.ts'),
      gateramp: join(apps, 'cli/src/main.ts'),
    },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: REQUIRE },
    loader: sqlLoader,
    conditions: ['@gateramp/source'],
    plugins: [
      {
        name: 'others-stay-outside',
        setup: (building) =>
          building.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || (OFTEN_LOADED.test(path) && !SERVES_FILES.has(path))
              ? null
              : { path, external: true },
          ),
      },
    ],
  });
  // The reference server finds its pages beside itself.
  cpSync(join(apps, 'reference-server/dist/page'), join(outdir, 'page'), { recursive: true });
  return { url: outdir, stop: async () => rmSync(outdir, { recursive: true, force: true }) };
}
