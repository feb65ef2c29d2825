import { describeLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { expressSubject } from '../../../packages/adapters-http-express/test/express-subject.js';
import { fastifySubject } from '../../../packages/adapters-http-fastify/test/fastify-subject.js';
import { sqliteSubject } from '../../../packages/adapters-store-sqlite/test/sqlite-subject.js';
import { httpContractLaws } from '../index.js';
import { isDeep } from '../../depth.js';

const frameworks = Object.entries({ Fastify: fastifySubject(), Express: expressSubject() });

/**
 * The whole wire contract once more, each law on a file of its own. A quick run checks each law behind one of the frameworks, since both
 * pass all of them on memory.
 */
describe.each(frameworks.map(([name, http], nth) => ({ name, http, nth })))('SQLite behind $name', ({ http, nth }) => {
  const laws = httpContractLaws.filter((_, index) => isDeep || index % frameworks.length === nth);
  describeLaws(laws, { mount: http.mount.bind(http), store: sqliteSubject.create }, { describe, it });
});
