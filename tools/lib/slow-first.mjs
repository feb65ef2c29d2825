import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';

import { SLOW } from '../../tests/depth.ts';
import { readDurations } from './test-durations.mjs';
import { root } from './workspaces.mjs';

/**
 * Runs the slowest files first, so that no thread is left with one at the end: by the durations of the last run, or by the list in
 * tests/depth.ts. Files that need their own thread come before all others, so that the shared threads live until the end.
 */
export default class SlowFirst extends BaseSequencer {
  async sort(files) {
    const durations = readDurations();
    const expected = ({ moduleId, project }) => {
      if (project.name === 'alone') return Infinity;
      const file = relative(root, moduleId);
      const rank = SLOW.indexOf(file);
      return durations[file] ?? (rank === -1 ? 0 : 60_000 - rank);
    };
    return files
      .map((file) => ({ file, ms: expected(file) }))
      .toSorted((one, other) => (one.ms === other.ms ? 0 : other.ms - one.ms))
      .map(({ file }) => file);
  }
}
