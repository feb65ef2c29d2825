import { isRecord } from '@gateramp/core/domain';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TEST_KEYS } from '@gateramp/testing';
import {
  buyer,
  DOCUMENT,
  freshKey,
  httpLaw,
  type HostName,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  type Operation,
  OPERATIONS,
  type Sent,
  SHOP,
} from '../kit.js';
import { ROWS, type Row } from '../credentials/matrix.js';
import { fromSchema } from './from-schema.js';
import type { HostileRuns } from './hostile-law.js';

const HOSTILE = [null, '', 0, -1, 1e308, [], {}, '\u0000', '\ud800', '__proto__', 'x'.repeat(5_000), { a: { b: [] } }];
const HOSTILE_TEXTS = ['', '0', '%00', '%ff', '..%2f', '__proto__', "'%20OR%201=1", 'x'.repeat(300), '%F0%9F%98%80'];

/** A random advance of the test clock would outlive every session; its own laws cover it. */
const NOT_ASKED = ['POST /v1/test_helpers/clock/advance'];

/** Requests generated from the document, valid or nearly so: every answer conforms to it, and none is a 5xx. */
export function describedRequestLaws({ runs, seed }: HostileRuns): readonly Law<HttpSubject>[] {
  return [
    httpLaw(
      'HTTP: requests written from the document',
      `${runs} requests as the document has them, nearly so or hostile are answered as it says, and never with a 5xx`,
      (world) => ask(world, seed === undefined ? { numRuns: runs } : { numRuns: runs, seed }),
      { partner: { entitlements: ['swap', 'rails', 'pools'] } },
    ),
  ];
}

async function ask(world: HttpWorld, parameters: fc.Parameters<unknown>): Promise<void> {
  const { token } = await buyer(world);
  const known = new Map<string, string>();
  const rows = ROWS.filter(({ name }) => !NOT_ASKED.includes(name));
  for (const row of rows) known.set(row.name, (await row.sample(world, hostOf(row))).path);
  const request = fc.constantFrom(...rows).chain((row) => requestOf(row, known.get(row.name) ?? row.template));
  const succeeded = new Set<string>();
  await fc.assert(
    fc.asyncProperty(request, async ({ row, path, body, keyed }) => {
      // `send` checks the answer against the document.
      const answer = await world.send(row.method, path, {
        ...(hostOf(row) === 'pools' ? { product: 'pools' } : {}),
        ...credential(row, token),
        ...(keyed ? { idempotencyKey: freshKey() } : {}),
        ...(body === undefined ? {} : { body }),
      });
      assert.ok(
        answer.status < 500 || answer.json['code'] === 'off_ramp_not_available',
        `${row.method} ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`,
      );
      if (answer.status < 300) succeeded.add(row.name);
    }),
    { ...parameters, endOnFailure: true },
  );
  assert.deepEqual(world.t.telemetry.failures, []);
  assert.ok(
    succeeded.size > rows.length / 2,
    `Only these were ever answered with success: ${[...succeeded].join(', ')}`,
  );
}

function hostOf({ hosts }: Row): HostName {
  return hosts.includes('test') ? 'test' : 'pools';
}

function credential({ kind }: Row, token: string): Sent {
  switch (kind) {
    case 'embed':
      return { token };
    case 'publishable':
      return { key: TEST_KEYS.publishable.test, origin: SHOP };
    case 'secret':
      return { key: TEST_KEYS.secret.test };
    case 'pools_secret':
    case 'pools_any':
      return { key: TEST_KEYS.secret.live };
    case 'none':
      return {};
  }
}

function requestOf(row: Row, known: string) {
  const details = detailsOf(row);
  const filled = row.template.includes('{')
    ? fc.oneof({ weight: 3, arbitrary: fc.constant(known) }, { weight: 1, arbitrary: hostilePath(row) })
    : fc.constant(row.template);
  const path = fc.tuple(filled, queryOf(details)).map(([one, query]) => (query === '' ? one : `${one}?${query}`));
  return fc.record({
    row: fc.constant(row),
    path,
    body: bodyOf(details),
    keyed: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  });
}

function hostilePath({ template }: Row): fc.Arbitrary<string> {
  return fc.constantFrom(...HOSTILE_TEXTS).map((text) => template.replace(/\{\w+\}/, () => text));
}

function queryOf(details: Members): fc.Arbitrary<string> {
  const parameters = Array.isArray(details['parameters']) ? details['parameters'].filter(isRecord) : [];
  const model = parameters
    .filter((one) => one['in'] === 'query')
    .map((one): [string, fc.Arbitrary<string>] => [
      String(one['name']),
      fc.oneof(
        {
          weight: 4,
          arbitrary: fromSchema(one['schema']).map((value) => encodeURIComponent(wellFormed(String(value)))),
        },
        { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
      ),
    ]);
  const some = fc.record(Object.fromEntries(model), { requiredKeys: [] });
  return some.map((given) =>
    Object.entries(given)
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
  );
}

function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, '?');
}

/** Usually valid according to the schema; sometimes with one modified member, or not an object at all. */
function bodyOf(details: Members): fc.Arbitrary<unknown> {
  const content = isRecord(details['requestBody']) ? details['requestBody']['content'] : undefined;
  const json = isRecord(content) ? content['application/json'] : undefined;
  if (!isRecord(json)) return fc.constant(undefined);
  const valid = fromSchema(json['schema']);
  const bent = fc
    .tuple(valid, fc.string({ maxLength: 8 }), fc.nat(), fc.constantFrom<unknown>(...HOSTILE))
    .map(([body, extra, at, value]) => {
      if (!isRecord(body)) return value;
      const names = [...Object.keys(body), extra];
      return { ...body, [names[at % names.length] ?? extra]: value };
    });
  return fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 4, arbitrary: bent },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...HOSTILE) },
  );
}

function detailsOf({ name, method, template }: Row): Members {
  const operation: Operation | undefined = OPERATIONS.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`The document has no ${name}.`);
  const paths = DOCUMENT['paths'];
  const at = isRecord(paths) ? paths[template] : undefined;
  const details = isRecord(at) ? at[method.toLowerCase()] : undefined;
  return isRecord(details) ? details : {};
}
