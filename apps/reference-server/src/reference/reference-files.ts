import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Encoded } from './compression.js';

/** The names of the files that the page loads. */
type Names = Readonly<Record<'scalar' | 'script' | 'style', string>>;

export interface ReferenceFiles {
  readonly names: Names;
  readonly files: ReadonlyMap<string, { readonly type: string; readonly body: Encoded }>;
}

/** The output of `npm run build` for Scalar and `page/`. Throws if it has not been built. */
export function readReferenceFiles(dir: string): ReferenceFiles {
  // Written by build.mjs of this package.
  const names = JSON.parse(readFileSync(`${dir}files.json`, 'utf8')) as Names;
  const read = (name: string) => ({
    type: `${name.endsWith('.css') ? 'text/css' : 'text/javascript'}; charset=utf-8`,
    body: {
      identity: readFileSync(`${dir}${name}`),
      br: readFileSync(`${dir}${name}.br`),
      gzip: readFileSync(`${dir}${name}.gz`),
    },
  });
  return { names, files: new Map(Object.values(names).map((name) => [name, read(name)])) };
}

/** The output folder of the build, relative to `src/reference` or to a bundle in `dist`. */
export function referenceFolder(): string {
  return fileURLToPath(new URL(import.meta.url.includes('/src/') ? '../../dist/page/' : 'page/', import.meta.url));
}
