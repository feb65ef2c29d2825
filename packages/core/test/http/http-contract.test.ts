import { describeLaws, fetchSubject, hostileBodyLaws, httpContractLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';

const runner = { describe, it };
const subject = fetchSubject();

describeLaws(httpContractLaws, subject, runner);
describeLaws(hostileBodyLaws({ runs: 10_000 }), subject, runner);
