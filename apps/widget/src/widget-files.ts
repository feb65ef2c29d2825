import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assetsIn, type PageFile } from '../../../design/page-files.js';

interface WidgetFiles {
  /** The page, with placeholders for its settings. */
  readonly page: string;
  /** The page that previews a branding. */
  readonly preview: string;
  /** Assets of both by path, `/assets/…`. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** Resolves to the same folder from `src` and from `dist`. */
const BUILT = new URL('../dist/', import.meta.url);

/** Reads all files into memory: a few dozen, a few kilobytes each. Throws if the widget has not been built. */
export function readWidgetFiles(): WidgetFiles {
  const dir = fileURLToPath(BUILT);
  return {
    page: readFileSync(join(dir, 'page/index.html'), 'utf8'),
    preview: readFileSync(join(dir, 'preview/preview.html'), 'utf8'),
    assets: new Map(['page', 'preview'].flatMap((folder) => assetsIn(join(dir, folder, 'assets')))),
  };
}
