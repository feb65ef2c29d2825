import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** A built file, compressed once at start. */
export interface WidgetFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
}

interface WidgetFiles {
  /** The page, with placeholders for its settings. */
  readonly page: string;
  /** The page that shows an appearance. */
  readonly preview: string;
  /** Assets of both by path, `/assets/…`; their names contain a hash of their contents. */
  readonly assets: ReadonlyMap<string, WidgetFile>;
}

/** Resolves to the same folder from `src` and from `dist`. */
const BUILT = new URL('../dist/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads all files into memory: about a dozen, a few kilobytes each. Throws if the widget has not been built. */
export function readWidgetFiles(): WidgetFiles {
  const dir = fileURLToPath(BUILT);
  return {
    page: readFileSync(join(dir, 'page/index.html'), 'utf8'),
    preview: readFileSync(join(dir, 'preview/preview.html'), 'utf8'),
    assets: new Map(['page', 'preview'].flatMap((folder) => assetsIn(join(dir, folder, 'assets')))),
  };
}

function assetsIn(folder: string): [string, WidgetFile][] {
  return readdirSync(folder).flatMap((name): [string, WidgetFile][] => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const bytes = readFileSync(join(folder, name));
    return [[`/assets/${name}`, { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }]];
  });
}
