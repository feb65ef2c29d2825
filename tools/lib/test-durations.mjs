import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { root } from './workspaces.mjs';

const FILE = join(root, 'node_modules/.cache/gateramp/test-durations.json');

/** The duration of each test file in the last run, in milliseconds. */
export function readDurations() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return {};
  }
}

export function writeDurations(durations) {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(durations));
}
