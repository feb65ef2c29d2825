import { describeLaws, httpContractLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { expressSubject } from '../../adapters-http-express/test/express-subject.js';
import { fastifySubject } from '../../adapters-http-fastify/test/fastify-subject.js';
import { sqliteSubject } from '../../adapters-store-sqlite/test/sqlite-subject.js';

/** The whole wire contract once more, each law on a file of its own, behind the framework of that name. */
describe.each(Object.entries({ Fastify: fastifySubject(), Express: expressSubject() }))('SQLite behind %s', (_, http) =>
  describeLaws(httpContractLaws, { mount: http.mount.bind(http), store: sqliteSubject.create }, { describe, it }),
);
