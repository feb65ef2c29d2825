import { describeLaws, httpSocketLaws, httpTransportLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { httpContractLaws } from '../../../tests/contract/index.js';
import { fastifySubject } from './fastify-subject.js';

const runner = { describe, it };

describeLaws(httpTransportLaws, fastifySubject(), runner);
describeLaws(httpSocketLaws, fastifySubject(), runner);
describeLaws(httpContractLaws, fastifySubject(), runner);
