import { build, type BuildOptions } from 'esbuild';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';

import { script, type ServedFile } from './serve-pages.js';

export type ReactVersion = 18 | 19;

/** This folder resolves to the newest React; version 18 is installed in a separate folder. */
const REACT_18 = fileURLToPath(new URL('./react-18/node_modules', import.meta.url));

/** Bundles a script of `tests/browser/page` with its imports, from source, so that it is never stale. */
export async function bundlePage(name: string, react: ReactVersion = 19): Promise<ServedFile> {
  return script(await bundled(name, react, { format: 'iife', target: 'es2022' }));
}

/** Bundles a script for Node, runs it and returns its default export. */
export async function runOnServer(name: string, react: ReactVersion): Promise<unknown> {
  const text = await bundled(name, react, { format: 'cjs', platform: 'node' });
  const module: { exports: { default?: unknown } } = { exports: {} };
  // The cast holds, since the bundle is wrapped in a function of this type.
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
