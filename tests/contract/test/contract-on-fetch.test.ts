import { readFileSync } from 'node:fs';
import { describeLaws, fetchSubject, type HttpSubject } from '@gateramp/conformance';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@gateramp/core/domain';
import { httpContractLaws } from '../index.js';
import { codesAnswered } from '../kit.js';

const subject = fetchSubject();

let ran = 0;
const counted: HttpSubject = {
  mount: (gate, mode) => {
    ran += 1;
    return subject.mount(gate, mode);
  },
};

describeLaws(httpContractLaws, counted, { describe, it });

/** Codes that no law of the contract can produce, because they need a socket or an operator, with the file that tests each. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  malformed_request: 'packages/conformance/src/http/transport/connection-laws.ts',
  request_timeout: 'apps/reference-server/test/draining-server.test.ts',
  expectation_failed: 'packages/conformance/src/http/transport/header-laws.ts',
  headers_too_large: 'packages/conformance/src/http/transport/connection-laws.ts',
  refund_not_possible: 'tests/contract/flows/refund-laws.ts',
  refund_exceeds_amount: 'tests/contract/flows/refund-laws.ts',
};

it('every code of the table is returned to some law', ({ skip }) => {
  // With only a few laws run, the check proves nothing.
  if (ran < httpContractLaws.length / 2) skip();
  expect(ERROR_CODES.filter((code) => !codesAnswered().has(code)).sort()).toEqual(Object.keys(ELSEWHERE).sort());
  for (const [code, file] of Object.entries(ELSEWHERE)) expect(readFileSync(file, 'utf8'), code).toContain(code);
});
