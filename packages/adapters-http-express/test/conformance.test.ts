import { describeLaws, httpSocketLaws, httpTransportLaws } from '@gateramp/conformance';
import { afterAll, describe, it } from 'vitest';
import { httpContractLaws } from '../../../tests/contract/index.js';
import { pooledServers } from '../../../tests/contract/server-pool.js';
import { expressSubject } from './express-subject.js';

const runner = { describe, it };
const pooled = pooledServers(expressSubject());
afterAll(() => pooled.closeAll());

describeLaws(httpTransportLaws, expressSubject(), runner);
describeLaws(httpSocketLaws, expressSubject(), runner);
describeLaws(httpContractLaws, pooled, runner);
