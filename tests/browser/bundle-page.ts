import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

import { script, type ServedFile } from './serve-pages.js';

/** One script file of `tests/browser/page`, with all that it imports, as a page loads it. Read from source, so never stale. */
export async function bundlePage(name: string): Promise<ServedFile> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`./page/${name}`, import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    conditions: ['@gateramp/source'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`Nothing was made of ${name}.`);
  return script(file.text);
}
