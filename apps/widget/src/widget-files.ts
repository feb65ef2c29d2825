import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** One built file, compressed once. */
export interface WidgetFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
}

interface WidgetFiles {
  /** The one page, with places where its settings go. */
  readonly page: string;
  /** By path, `/assets/…`: their names carry a hash of what is in them. */
  readonly assets: ReadonlyMap<string, WidgetFile>;
}

/** The same folder from `src` and from `dist`. */
const BUILT = new URL('../dist/page/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads everything into memory: some dozen files of some kilobytes. Throws when the widget has not been built. */
export function readWidgetFiles(): WidgetFiles {
  const dir = fileURLToPath(BUILT);
  const assets = readdirSync(join(dir, 'assets')).flatMap((name): [string, WidgetFile][] => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const bytes = readFileSync(join(dir, 'assets', name));
    return [[`/assets/${name}`, { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }]];
  });
  return { page: readFileSync(join(dir, 'index.html'), 'utf8'), assets: new Map(assets) };
}
