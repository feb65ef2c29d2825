import { describeLaws, interleavingLaws, replayInterleaving } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresSubject, testPool } from './postgres-subject.js';
import { runs } from '../../../tests/depth.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

const runner = { describe, it: (title: string, run: () => Promise<void>) => it(title, run) };

describeLaws(
  [...interleavingLaws, ...replayInterleaving],
  { ...postgresSubject(() => pool), interleavings: runs(8, 40) },
  runner,
);
