import { describeLaws, fetchSubject, hostileBodyLaws, httpContractLaws } from '@gateramp/testing/conformance';
import { describe, it } from 'vitest';

const runner = { describe, it };
const subject = fetchSubject();

/** `GATE_TEST_SEED` replays a failure with the seed it printed. */
const seed = process.env['GATE_TEST_SEED'];

describeLaws(httpContractLaws, subject, runner);
describeLaws(hostileBodyLaws({ runs: 10_000, ...(seed === undefined ? {} : { seed: Number(seed) }) }), subject, runner);
