import { describeLaws, sandboxStoreLaws, storeLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { holdsUnrenewed, openUnrenewed, positionLaws, schemaOfSlowClaims } from './position-laws.js';
import { EACH_POSTGRES } from './each-postgres.js';
import { postgresSubject, testPool } from './postgres-subject.js';

describe.each(EACH_POSTGRES)('on %s, with claims from a position', (_, stock) => {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = await testPool(10, { stock });
  });
  afterAll(() => pool.end());

  // Positions are never renewed, so that the laws hold because of the claims alone.
  const subject = postgresSubject(() => pool, {}, schemaOfSlowClaims, openUnrenewed);
  describeLaws([...positionLaws(() => pool), ...[...storeLaws, ...sandboxStoreLaws].filter(holdsUnrenewed)], subject, {
    describe,
    it,
  });
});
