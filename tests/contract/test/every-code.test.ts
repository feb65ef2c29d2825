import { httpTransportLaws, httpSocketLaws } from '@gateramp/conformance';
import { ERROR_CODES } from '@gateramp/core/domain';
import { expect, it } from 'vitest';
import { httpContractLaws } from '../index.js';

/** Depends on the clock of a server, which no law waits for; the tests of the reference server cover it. */
const ELSEWHERE: readonly string[] = ['request_timeout'];

it('every error code is in the title of a law of the wire', () => {
  const titles = [...httpContractLaws, ...httpTransportLaws, ...httpSocketLaws].map(({ title }) => title).join('\n');
  const words = new Set(titles.split(/\W+/));
  expect(ERROR_CODES.filter((code) => !words.has(code))).toEqual(ELSEWHERE);
});
