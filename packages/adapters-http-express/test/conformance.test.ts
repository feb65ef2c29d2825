import { describeLaws, httpContractLaws, httpSocketLaws, httpTransportLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { expressSubject } from './express-subject.js';

const runner = { describe, it };

describeLaws(httpTransportLaws, expressSubject(), runner);
describeLaws(httpSocketLaws, expressSubject(), runner);
describeLaws(httpContractLaws, expressSubject(), runner);
