import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../lib/workspaces.mjs';

/** They are installed apart, and a package of its own would be more than the few lines they share. */
it('what the two Redis adapters share is equal, word for word', () => {
  const copies = ['queue', 'limits'].map((kind) =>
    readFileSync(join(root, `packages/adapters-${kind}-redis/src/close-on-protocol-error.ts`), 'utf8'),
  );
  expect(new Set(copies).size).toBe(1);
});
