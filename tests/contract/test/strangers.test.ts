import { fetchSubject } from '@gateramp/conformance';
import { TEST_KEYS } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { httpContractLaws } from '../index.js';
import type { HttpSubject, MountedHost, WireRequest } from '../kit.js';

/** A gate that confuses the rival's secret key with the partner's own on some paths, like a look-up without its scope. */
function confusing(paths: RegExp): HttpSubject {
  const subject = fetchSubject();
  return {
    mount: async (gate, mode): Promise<MountedHost> => {
      const host = await subject.mount(gate, mode);
      const own = `Bearer ${TEST_KEYS.secret[mode]}`;
      const confused = (request: WireRequest): WireRequest =>
        paths.test(request.path) && (request.headers?.['authorization'] ?? '').endsWith('rivalsecret')
          ? { ...request, headers: { ...request.headers, authorization: own } }
          : request;
      return { ...host, send: (request) => host.send(confused(request)) };
    },
  };
}

/** Two for the checkout, then two for pools. */
const laws = httpContractLaws.filter(({ topic }) => topic === 'HTTP: strangers');

async function outcomes(subject: HttpSubject) {
  return Promise.all(
    laws.map((law) =>
      law.run(subject).then(
        () => 'kept',
        () => 'broken',
      ),
    ),
  );
}

it('the laws of strangers hold where every look-up has its scope', async () => {
  expect(await outcomes(confusing(/^\/nowhere/))).toEqual(['kept', 'kept', 'kept', 'kept']);
});

it.each([
  ['a session by its id', /^\/v1\/gate_sessions\/[0-9a-f]{24}$/, 0],
  ['a transaction by its refid', /^\/v1\/transactions\/gtx_/, 0],
  ['cancelling', /\/cancel$/, 0],
  ['the list of sessions', /^\/v1\/gate_sessions$/, 1],
  ['the cursor of a list', /^\/v1\/transactions\?/, 1],
  ['the list of trades', /^\/v1\/pools\/trades$/, 2],
  ['the list of pools', /^\/v1\/pools$/, 2],
  ['the cursor of trades', /^\/v1\/pools\/trades\?/, 3],
])('%s without its partner is seen', async (_, paths, law) => {
  expect((await outcomes(confusing(paths)))[law]).toBe('broken');
});
