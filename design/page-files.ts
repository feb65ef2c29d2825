import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A built file of a page, compressed once at start. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the assets in a folder into memory, by path: `/assets/…`. Their names contain a hash of their contents. */
export function assetsIn(folder: string): readonly (readonly [string, PageFile])[] {
  return readdirSync(folder).flatMap((name) => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const bytes = readFileSync(join(folder, name));
    return [[`/assets/${name}`, { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }] as const];
  });
}

export const NO_SNIFF = { 'x-content-type-options': 'nosniff' } as const;

/** Assets may be cached forever: their names change with their contents. */
const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'Accept-Encoding',
  ...NO_SNIFF,
} as const;

/** Compressed where the browser accepts it. */
export function assetAnswer({ type, bytes, gzipped }: PageFile, request: Request): Response {
  const takesGzip = /(^|,)\s*gzip\s*(,|$|;(?!\s*q=0(\.0*)?\s*(,|$)))/.test(
    request.headers.get('accept-encoding') ?? '',
  );
  const headers = { ...ASSET_HEADERS, 'content-type': type };
  // Copied, since the type of a Response body requires an array over an unshared buffer.
  return takesGzip
    ? new Response(new Uint8Array(gzipped), { headers: { ...headers, 'content-encoding': 'gzip' } })
    : new Response(new Uint8Array(bytes), { headers });
}

/** A line of text, such as that of a 404. */
export function plainAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...NO_SNIFF, ...headers },
  });
}
