import { build, type BuildOptions } from 'esbuild';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';

import { script, type ServedFile } from './serve-pages.js';

export type ReactVersion = 18 | 19;

/** The newest is what this folder finds by itself; the other lies in a folder of its own. */
const REACT_18 = fileURLToPath(new URL('./react-18/node_modules', import.meta.url));

/** One script of `tests/browser/page`, with all that it imports, as a page loads it. Read from source, so never stale. */
export async function bundlePage(name: string, react: ReactVersion = 19): Promise<ServedFile> {
  return script(await bundled(name, react, { format: 'iife', target: 'es2022' }));
}

/** The same for a server: what the script exports as its default. */
export async function runOnServer(name: string, react: ReactVersion): Promise<unknown> {
  const text = await bundled(name, react, { format: 'cjs', platform: 'node' });
  const module: { exports: { default?: unknown } } = { exports: {} };
  // A function, as the text says that is put around it.
  const run = runInThisContext(`(module, require) => {${text}\n}`) as (
    of: typeof module,
    require: NodeJS.Require,
  ) => void;
  run(module, createRequire(import.meta.url));
  return module.exports.default;
}

async function bundled(name: string, react: ReactVersion, options: BuildOptions): Promise<string> {
  const { outputFiles = [] } = await build({
    entryPoints: [fileURLToPath(new URL(`./page/${name}`, import.meta.url))],
    bundle: true,
    write: false,
    conditions: ['@gateramp/source'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' },
    alias: react === 18 ? { react: `${REACT_18}/react`, 'react-dom': `${REACT_18}/react-dom` } : {},
    ...options,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`Nothing was made of ${name}.`);
  return file.text;
}
