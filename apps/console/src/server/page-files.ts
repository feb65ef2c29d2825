import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assetsIn, type PageFile } from '../../../../design/page-files.js';

interface PageFiles {
  readonly page: string;
  /** Assets by path, `/assets/…`. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** The folder of the built page, seen from `src/server` and from `dist`. */
const PLACES = ['../../dist/page/', './page/'].map((place) => fileURLToPath(new URL(place, import.meta.url)));

/** Reads all files into memory; null if the page has not been built, as in a clone whose API is tested. */
export function readPageFiles(): PageFiles | null {
  const dir = PLACES.find((place) => existsSync(join(place, 'index.html')));
  if (dir === undefined) return null;
  const folder = join(dir, 'assets');
  const assets = existsSync(folder) ? assetsIn(folder) : [];
  return { page: readFileSync(join(dir, 'index.html'), 'utf8'), assets: new Map(assets) };
}
