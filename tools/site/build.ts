import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, serve } from 'vitepress';

import { reportAndExit } from '../lib/steps.mjs';
import { root } from '../lib/workspaces.mjs';
import { bundlePlayground } from './playground/bundle.js';
import { prepare } from './prepare.js';

/** Builds the documentation site into `--out`, and serves it with `--serve`. */
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist/site' },
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '4280' },
  },
});
const outDir = resolve(root, values.out);
const folder = join(root, 'tools/site');

await buildSite().catch(reportAndExit);
if (values.serve) await serve({ root: folder, port: Number(values.port) });

async function buildSite(): Promise<void> {
  // In the clone, so that the pages find Vue.
  const cache = join(root, 'node_modules/.cache/gateramp');
  mkdirSync(cache, { recursive: true });
  const source = mkdtempSync(join(cache, 'site-'));
  try {
    const pages = prepare(source);
    await bundlePlayground(join(source, 'public/playground/engine.js'));
    Object.assign(process.env, { GATERAMP_SITE_SOURCE: source, GATERAMP_SITE_OUT: outDir });
    await build(folder);
    for (const { path } of pages) {
      mkdirSync(dirname(join(outDir, path)), { recursive: true });
      cpSync(join(source, path), join(outDir, path));
    }
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}
