import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, type PluginBuild } from 'esbuild';
import { sqlLoader } from '../../../tools/lib/sql-text.mjs';
import { root } from '../../../tools/lib/workspaces.mjs';

const folder = join(root, 'node_modules/.cache/gateramp');

/** The reference server as one file. */
export async function serverBundle(): Promise<string> {
  const outfile = await sourceBundle('apps/reference-server/src/main.ts', 'chaos-server');
  // The server finds its pages beside itself.
  cpSync(join(root, 'apps/reference-server/dist/page'), join(folder, 'page'), { recursive: true });
  return outfile;
}

/**
 * A program as one file made from the sources as they are now: it starts quickly again and again, is never a stale build, and does not
 * change while the run lasts. Kept where its imports of other packages resolve.
 */
export async function sourceBundle(entry: string, name: string): Promise<string> {
  const outfile = join(folder, `${name}-${process.pid}-${Date.now()}.mjs`);
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@gateramp/source'],
    loader: sqlLoader,
    logLevel: 'error',
    plugins: [{ name: 'others-stay-outside', setup: othersStayOutside }],
  });
  return outfile;
}

/** What finds the files that it serves by its own place stays in that. */
const servesFiles: ReadonlySet<string> = new Set(['@gateramp/console', '@gateramp/demo-shop', '@gateramp/widget']);

function othersStayOutside(bundling: PluginBuild): void {
  bundling.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === 'entry-point' || (path.startsWith('@gateramp/') && !servesFiles.has(path))
      ? undefined
      : { path, external: true },
  );
}
