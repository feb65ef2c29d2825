import { describeLaws, httpSocketLaws, httpTransportLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { httpContractLaws } from '../../../tests/contract/index.js';
import { expressSubject } from './express-subject.js';

const runner = { describe, it };

describeLaws(httpTransportLaws, expressSubject(), runner);
describeLaws(httpSocketLaws, expressSubject(), runner);
describeLaws(httpContractLaws, expressSubject(), runner);
