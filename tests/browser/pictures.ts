import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where every picture of a run lies, to be looked at; git does not keep it. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/gateramp/pictures/', import.meta.url));

/** Where a picture of that name goes. */
export function picturePath(name: string): string {
  mkdirSync(FOLDER, { recursive: true });
  return `${FOLDER}${name}.png`;
}
