import { readFileSync } from 'node:fs';

export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** The same folder from `src/server` and from `dist/server`. */
const BUILT = new URL('../../dist/page/', import.meta.url);

/** By path. Throws when the page has not been built. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const read = (name: string, type: string): PageFile => ({
    type: `${type}; charset=utf-8`,
    text: readFileSync(new URL(name, BUILT), 'utf8'),
  });
  const page = read('index.html', 'text/html');
  return new Map([
    ['/', page],
    // Where the hosted full page sends its buyers back to; the page tells by its address.
    ['/return', page],
    ['/cancel', page],
    ['/shop.js', read('shop.js', 'text/javascript')],
    ['/style.css', read('style.css', 'text/css')],
  ]);
}
