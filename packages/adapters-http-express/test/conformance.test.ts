import { describeLaws, httpSocketLaws, httpTransportLaws } from '@gateramp/conformance';
import { afterAll, describe, it } from 'vitest';
import { httpContractLaws } from '../../../tests/contract/index.js';
import { pooledServers } from '../../../tests/contract/server-pool.js';
import { isDeep } from '../../../tests/depth.js';
import { expressSubject } from './express-subject.js';

const runner = { describe, it };
const pooled = pooledServers(expressSubject());
afterAll(() => pooled.closeAll());

describeLaws(httpTransportLaws, expressSubject(), runner);
describeLaws(httpSocketLaws, expressSubject(), runner);
// A quick run checks these over the Fetch bridge and behind Fastify (tests/contract/test).
if (isDeep) describeLaws(httpContractLaws, pooled, runner);
