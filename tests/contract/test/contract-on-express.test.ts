import { describeLaws } from '@gateramp/conformance';
import { afterAll, describe, it } from 'vitest';
import { expressSubject } from '../../../packages/adapters-http-express/test/express-subject.js';
import { sqliteSubject } from '../../../packages/adapters-store-sqlite/test/sqlite-subject.js';
import { httpContractLaws } from '../index.js';
import { pooledServers } from '../server-pool.js';

/** The whole wire contract behind Express, each law on a new file. */
const http = pooledServers(expressSubject());
afterAll(() => http.closeAll());

describeLaws(httpContractLaws, { ...http, store: sqliteSubject.create }, { describe, it });
