import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';

import { SLOW } from '../../tests/depth.ts';
import { readDurations } from './test-durations.mjs';
import { root } from './workspaces.mjs';

/**
 * Runs the slowest files first, so that no thread is left with one at the end: by the durations of the last run, or by the list in
 * tests/depth.ts. Files that need their own thread come before all others, so that the shared threads live until the end: vitest ends
 * one as soon as a file of another project is next.
 */
export default class SlowFirst extends BaseSequencer {
  async sort(files) {
    const durations = readDurations();
    const expected = ({ moduleId }) => {
      const file = relative(root, moduleId);
      const rank = SLOW.indexOf(file);
      return durations[file] ?? (rank === -1 ? 0 : 60_000 - rank);
    };
    return files
      .map((file) => ({ file, isShared: file.project.name === 'shared', ms: expected(file) }))
      .toSorted((one, other) => Number(one.isShared) - Number(other.isShared) || other.ms - one.ms)
      .map(({ file }) => file);
  }
}
