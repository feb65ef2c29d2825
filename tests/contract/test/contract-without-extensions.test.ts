import { describeLaws, fetchSubject, type HttpSubject } from '@gateramp/conformance';
import { describe, expect, it } from 'vitest';
import { createTestGate } from '@gateramp/testing';
import { isDeep } from '../../depth.js';
import { engineContractLaws } from '../index.js';

const subject: HttpSubject = { ...fetchSubject(), extensions: [] };

/** A quick run has the first law of each topic. `contract-on-fetch.test.ts` always has all of them, with extensions. */
const topics = new Map(engineContractLaws.toReversed().map((law) => [law.topic, law]));
const laws = isDeep ? engineContractLaws : [...topics.values()].toReversed();

describeLaws(laws, subject, { describe, it });

it('a gate without the API document has no such pages, and no doc_url', async () => {
  const { request } = await createTestGate({ extensions: [] });
  for (const path of ['/docs', '/docs.css', '/openapi.json'])
    expect(await request('GET', path)).toMatchObject({ status: 404, json: { code: 'route_not_found', doc_url: null } });
});

it('a gate without extensions has none of what they add', async () => {
  const { gate } = await createTestGate({ extensions: [] });
  expect('pools' in gate || 'poolsHost' in gate || 'savePool' in gate.admin).toBe(false);
});
