import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../lib/workspaces.mjs';

/** A newcomer's way to the line that writes an event: each file is linked from the previous one. */
const WALK = [
  'README.md',
  'docs/architecture.md',
  'packages/core/src/application/sessions/create-session.ts',
  'packages/core/src/domain/session/open-session.ts',
];
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

it('leads from README to the line that writes gate_session.created in at most five files', () => {
  expect(WALK.length).toBeLessThanOrEqual(5);
  WALK.slice(1).forEach((next, index) => {
    const from = WALK[index] ?? '';
    // A link or an import, in the notation used there.
    const name = relative(dirname(from), next).replaceAll('\\', '/').replace(/\.ts$/, '.');
    expect(textOf(from), `${from} names ${next}`).toContain(name);
  });
  expect(textOf(WALK.at(-1) ?? '')).toMatch(/announceData\(.*'gate_session\.created'/);
});
