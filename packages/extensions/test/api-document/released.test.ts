import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { routesOf } from '@gateramp/core/http';
import { openApiDocument } from '@gateramp/extensions/api-document';
import { pools } from '@gateramp/extensions/pools';
import { sandbox } from '@gateramp/extensions/sandbox';
import { brokenPromises, promisesOf } from '../../../../tools/lib/broken-promises.js';

const RELEASED = new URL('../../../../spec/released/openapi.json', import.meta.url);

const DOCUMENT = JSON.stringify(openApiDocument({ routes: routesOf([pools(), sandbox()]) }));

/** A copy of the document for readers and for modifications. */
function document() {
  return JSON.parse(DOCUMENT) as ReturnType<typeof openApiDocument>;
}

it('released promises still hold; npm run release:openapi records the current document with a release', () => {
  if (process.env['GATERAMP_WRITE_RELEASE'] === '1') {
    mkdirSync(new URL('.', RELEASED), { recursive: true });
    writeFileSync(RELEASED, compact(promisesOf(document())));
  }
  expect(brokenPromises(JSON.parse(readFileSync(RELEASED, 'utf8')), document())).toEqual([]);
});

type Json = Record<string, unknown>;

/** One line per operation, event and schema, so that differences can be located. */
function compact(promises: unknown): string {
  return `${JSON.stringify(promises, null, 1).replaceAll(/\n( {4,}| {3}(?=[}\]]))/g, '')}\n`;
}

/** The members at a path of a document, to modify. */
function within(whole: unknown, ...path: readonly string[]): Json {
  // Parsed JSON; a missing path fails the test that names it.
  return path.reduce((found, name) => found[name] as Json, whole as Json);
}

const SESSION = ['components', 'schemas', 'GateSession'] as const;
const CREATE = ['components', 'schemas', 'CreateGateSession'] as const;
const LIST = ['paths', '/v1/gate_sessions', 'get'] as const;

const BROKEN: readonly (readonly [what: string, bend: (whole: unknown) => unknown, says: RegExp])[] = [
  ['an endpoint that is gone', (whole) => delete within(whole, 'paths')['/v1/gate_sessions'], /gate_sessions is gone/],
  ['an event that is gone', (whole) => delete within(whole, 'webhooks')['gate_session.created'], /created is gone/],
  [
    'a member of an answer that is gone',
    (whole) => delete within(whole, ...SESSION, 'properties')['amount'],
    /amount is gone/,
  ],
  [
    'a member that is gone and has the name of a text that is free',
    (whole) => delete within(whole, 'components', 'schemas', 'TimelineEntry', 'properties')['summary'],
    /summary is gone/,
  ],
  ['a member that may be lacking', (whole) => (within(whole, ...SESSION)['required'] = ['id']), /may lack amount now/],
  [
    'a member of another type',
    (whole) => (within(whole, ...SESSION, 'properties', 'amount')['type'] = 'number'),
    /was string/,
  ],
  [
    'a body that asks for more',
    (whole) => (within(whole, ...CREATE)['required'] = ['amount', 'currency', 'return_url', 'flow']),
    /asks for flow now/,
  ],
  [
    'a value of an answer that is gone',
    (whole) => (within(whole, ...SESSION, 'properties', 'status')['enum'] = ['open']),
    /no longer holds "completed"/,
  ],
  ['a filter that is gone', (whole) => (within(whole, ...LIST)['parameters'] = []), /no longer holds/],
  [
    'a query that asks for more',
    (whole) => (within(whole, ...LIST)['parameters'] = [{ name: 'x', in: 'query', required: true }]),
    /asks for query x now/,
  ],
  [
    'a code that is gone',
    (whole) => delete within(whole, 'x-errors')['session_not_found'],
    /session_not_found is gone/,
  ],
];

it.each(BROKEN)('detects: %s', (_, bend, says) => {
  const bent = document();
  bend(bent);
  expect(brokenPromises(promisesOf(document()), bent).join('\n')).toMatch(says);
});

it('additions and changed descriptions break nothing', () => {
  const bent = document();
  within(bent, 'paths')['/v1/more'] = {};
  within(bent, ...SESSION, 'properties')['more'] = { type: 'string' };
  within(bent, ...CREATE, 'properties')['more'] = { type: 'string' };
  within(bent, ...LIST)['summary'] = 'Otherwise said';
  expect(brokenPromises(promisesOf(document()), bent)).toEqual([]);
});
