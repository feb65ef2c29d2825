import { describeLaws, storeLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { postgresSubject } from '../postgres-subject.js';
import { throughProxies } from '../through-proxies.js';
import { CLOSE_BORDERS, partitionedSchema } from './partitioned-schema.js';

throughProxies((pool) => {
  const read = storeLaws.filter(({ topic }) => /list|claiming|races/.test(topic));
  const subject = postgresSubject(pool, {}, (on) => partitionedSchema(on, CLOSE_BORDERS));
  describeLaws(read, subject, { describe, it });
});
