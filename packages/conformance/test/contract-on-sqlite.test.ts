import { describeLaws, httpContractLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { expressSubject } from '../../adapters-http-express/test/express-subject.js';
import { fastifySubject } from '../../adapters-http-fastify/test/fastify-subject.js';
import { sqliteSubject } from '../../adapters-store-sqlite/test/sqlite-subject.js';
import { isDeep } from '../../../tests/depth.js';

/** Every law behind every framework; without it each law is behind one of them, as both hold all of them on memory already. */
const IS_WHOLE = isDeep;

const frameworks = Object.entries({ Fastify: fastifySubject(), Express: expressSubject() });

/** The whole wire contract once more, each law on a file of its own. */
describe.each(frameworks.map(([name, http], nth) => ({ name, http, nth })))('SQLite behind $name', ({ http, nth }) => {
  const laws = httpContractLaws.filter((_, index) => IS_WHOLE || index % frameworks.length === nth);
  describeLaws(laws, { mount: http.mount.bind(http), store: sqliteSubject.create }, { describe, it });
});
