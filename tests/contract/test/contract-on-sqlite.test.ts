import { describeLaws } from '@gateramp/conformance';
import { afterAll, describe, it } from 'vitest';
import { fastifySubject } from '../../../packages/adapters-http-fastify/test/fastify-subject.js';
import { sqliteSubject } from '../../../packages/adapters-store-sqlite/test/sqlite-subject.js';
import { httpContractLaws } from '../index.js';
import { pooledServers } from '../server-pool.js';

/** The whole wire contract behind Fastify, each law on a new file. `contract-on-fetch.test.ts` has each law on memory. */
const http = pooledServers(fastifySubject());
afterAll(() => http.closeAll());

describeLaws(httpContractLaws, { ...http, store: sqliteSubject.create }, { describe, it });
