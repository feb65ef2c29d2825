import { describeLaws, httpSocketLaws, httpTransportLaws } from '@gateramp/conformance';
import { afterAll, describe, it } from 'vitest';
import { httpContractLaws } from '../../../tests/contract/index.js';
import { pooledServers } from '../../../tests/contract/server-pool.js';
import { isDeep } from '../../../tests/depth.js';
import { fastifySubject } from './fastify-subject.js';

const runner = { describe, it };
const pooled = pooledServers(fastifySubject());
afterAll(() => pooled.closeAll());

describeLaws(httpTransportLaws, fastifySubject(), runner);
describeLaws(httpSocketLaws, fastifySubject(), runner);
// A quick run checks these behind Fastify in tests/contract/test/contract-on-sqlite.test.ts.
if (isDeep) describeLaws(httpContractLaws, pooled, runner);
