import { join } from 'node:path';
import { build } from 'esbuild';

import { root } from '../../lib/workspaces.mjs';

const folder = join(root, 'tools/site/playground');

/** Bundles the whole engine on memory adapters for a page. */
export async function bundlePlayground(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(folder, 'engine.ts')],
    inject: [join(folder, 'globals.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: ['@gateramp/source'],
    logLevel: 'warning',
    plugins: [
      {
        name: 'node',
        setup(bundler) {
          bundler.onResolve({ filter: /^(?:node:|undici$)/ }, ({ path }) => ({
            path: join(folder, path === 'node:crypto' ? 'node-crypto.ts' : 'node-rest.ts'),
          }));
        },
      },
    ],
  });
}
