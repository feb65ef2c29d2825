import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** Resolves to the same folder from `src/server` and from `dist/server`. */
const BUILT = fileURLToPath(new URL('../../dist/page/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

/** The files by path. Throws if the page has not been built. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const read = (name: string, type: string): PageFile => ({
    type: `${type}; charset=utf-8`,
    text: readFileSync(join(BUILT, name), 'utf8'),
  });
  const page = read('index.html', 'text/html');
  const parts = readdirSync(BUILT).flatMap((name): [string, PageFile][] => {
    const type = TYPES[extname(name)];
    return type === undefined ? [] : [[`/${name}`, read(name, type)]];
  });
  // The full page redirects buyers to `/return` or `/cancel`; the page distinguishes them by its path.
  return new Map([['/', page], ['/return', page], ['/cancel', page], ...parts]);
}
