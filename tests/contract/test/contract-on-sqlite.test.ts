import { describeLaws } from '@gateramp/conformance';
import { afterAll, describe, it } from 'vitest';
import { expressSubject } from '../../../packages/adapters-http-express/test/express-subject.js';
import { fastifySubject } from '../../../packages/adapters-http-fastify/test/fastify-subject.js';
import { sqliteSubject } from '../../../packages/adapters-store-sqlite/test/sqlite-subject.js';
import { httpContractLaws } from '../index.js';
import { pooledServers } from '../server-pool.js';
import { isDeep } from '../../depth.js';

/**
 * The whole wire contract, each law on a new file. A quick run covers Fastify only: with the Fetch bridge on memory
 * (`contract-on-fetch.test.ts`), each law then meets both embedded stores.
 */
const frameworks = [
  { name: 'Fastify', http: pooledServers(fastifySubject()) },
  ...(isDeep ? [{ name: 'Express', http: pooledServers(expressSubject()) }] : []),
];

describe.each(frameworks)('SQLite behind $name', ({ http }) => {
  afterAll(() => http.closeAll());
  describeLaws(httpContractLaws, { ...http, store: sqliteSubject.create }, { describe, it });
});
