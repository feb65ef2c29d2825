import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder for the pictures of a run, for inspection. Not committed. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/gateramp/pictures/', import.meta.url));

/** The path for a picture of that name. */
export function picturePath(name: string): string {
  mkdirSync(FOLDER, { recursive: true });
  return `${FOLDER}${name}.png`;
}
