import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** A built file, compressed once at start. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
}

interface PageFiles {
  readonly page: string;
  /** Assets by path, `/assets/…`; their names contain a hash of their contents. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The folder of the built page, seen from `src/server` and from `dist`. */
const PLACES = ['../../dist/page/', './page/'].map((place) => fileURLToPath(new URL(place, import.meta.url)));

/** Reads all files into memory; null if the page has not been built, as in a clone whose API is tested. */
export function readPageFiles(): PageFiles | null {
  const dir = PLACES.find((place) => existsSync(join(place, 'index.html')));
  if (dir === undefined) return null;
  const folder = join(dir, 'assets');
  const assets = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name): [string, PageFile][] => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const bytes = readFileSync(join(folder, name));
    return [[`/assets/${name}`, { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }]];
  });
  return { page: readFileSync(join(dir, 'index.html'), 'utf8'), assets: new Map(assets) };
}
