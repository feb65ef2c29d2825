import assert from 'node:assert/strict';
import {
  create,
  CREATE_BODY,
  expectRefusal,
  expectStatus,
  failedFields,
  freshKey,
  httpLaw,
  type HttpSubject,
  type Law,
  retrieve,
  SECRET,
  textOf,
} from '../kit.js';

const TOPIC = 'HTTP: fields of the create body';

interface FieldRule {
  readonly field: string;
  readonly says: string;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
  /** The echo of a valid value; the value itself by default. */
  readonly echo?: (value: unknown) => unknown;
}

const x = (count: number) => 'x'.repeat(count);
/** One code point, two UTF-16 units. */
const astral = (count: number) => '\u{1f600}'.repeat(count);
const OTHER_TYPES: readonly unknown[] = [5, true, [], {}, ['EUR']];

const RULES: readonly FieldRule[] = [
  {
    field: 'amount',
    says: 'is digits with 1 to 8 after the dot, at most 40 characters in all, and greater than 0',
    good: [
      '1',
      '100.00',
      '100.0',
      '007.50',
      '0.1',
      '0.00000001',
      '12345678.12345678',
      '9'.repeat(40),
      `${'9'.repeat(31)}.12345678`,
    ],
    bad: [
      '',
      '0',
      '00',
      '0.0',
      '0.00000000',
      '1.',
      '.5',
      '.',
      '1.123456789',
      '9'.repeat(41),
      `${'9'.repeat(32)}.12345678`,
      '-1',
      '+1',
      '-0.5',
      '1e3',
      '1E3',
      '1e-3',
      ' 1',
      '1 ',
      '1\n',
      '1 000',
      '1,5',
      '1.2.3',
      '0x10',
      '1n',
      'NaN',
      'Infinity',
      '\uff11',
      '\u0661',
      1,
      1.5,
      0,
      null,
      ...OTHER_TYPES,
    ],
  },
  {
    field: 'currency',
    says: 'is three ASCII letters, echoed in upper case',
    good: ['EUR', 'eur', 'uSd', 'ZZZ'],
    echo: (value) => String(value).toUpperCase(),
    bad: ['', 'EU', 'EURO', 'E1R', 'EU ', ' EUR', 'EUR\n', '\u20acUR', '\u0130UR', '978', 978, null, ...OTHER_TYPES],
  },
  {
    field: 'target_token',
    says: 'is 2 to 12 letters or digits, or null',
    good: ['US', 'USDC', 'a1', x(12), null],
    bad: ['', 'U', x(13), 'US-DC', 'US_DC', 'US DC', 'USD\u00c7', ...OTHER_TYPES],
  },
  {
    field: 'target_network',
    says: 'is 2 to 30 letters, digits, underscores or hyphens, or null',
    good: ['op', 'base', 'a_-9', x(30), null],
    bad: ['', 'b', x(31), 'ba se', 'ba.se', 'b\u00e4se', 'base/', ...OTHER_TYPES],
  },
  {
    field: 'flow',
    says: 'is on_ramp, off_ramp, swap or null',
    good: ['on_ramp', 'off_ramp', 'swap', null],
    bad: ['', 'buy', 'ON_RAMP', 'on_ramp ', ...OTHER_TYPES],
  },
  {
    field: 'wallet_address',
    says: 'has 1 to 128 code points, or is null',
    good: ['0x1', '0', x(128), astral(128), null],
    bad: ['', x(129), astral(129), ...OTHER_TYPES],
  },
  {
    field: 'user_reference',
    says: 'has at most 128 code points, or is null',
    good: ['u-1', '\u00e4\u4e2d', x(128), astral(128), null],
    bad: [x(129), astral(129), ...OTHER_TYPES],
  },
  {
    field: 'metadata',
    says: 'is an object or null',
    good: [{}, { a: [1, { b: null }] }],
    bad: ['', 'x', 5, true, [], [{}]],
  },
];

const rules: readonly Law<HttpSubject>[] = RULES.flatMap(({ field, says, good, bad, echo }) => [
  httpLaw(TOPIC, `POST /v1/gate_sessions answers 201 when ${field} ${says}`, async (world) => {
    for (const value of good) {
      const answer = expectStatus(await create(world, { [field]: value }), 201);
      const echoed = echo === undefined ? value : echo(value);
      assert.deepEqual(answer.json[field], echoed);
      assert.deepEqual((await retrieve(world, textOf(answer.json, 'id'))).json[field], echoed);
    }
  }),
  httpLaw(TOPIC, `POST /v1/gate_sessions answers 400 validation_failed unless ${field} ${says}`, async (world) => {
    for (const value of bad) {
      const answer = await create(world, { [field]: value });
      expectRefusal(answer, 400, 'validation_failed');
      assert.deepEqual(failedFields(answer), [field], JSON.stringify(value));
    }
  }),
]);

const KYC_GOOD: readonly unknown[] = [
  null,
  { provider: 'sumsub' },
  { provider: x(128) },
  { provider: 'a', anything: [{ at: 'all' }], constructor: 1 },
];
const KYC_BAD = [
  {},
  { provider: '' },
  { provider: null },
  { provider: 5 },
  { provider: x(129) },
  { Provider: 'a' },
  [],
  [{ provider: 'a' }],
  'a',
  5,
  true,
];

const REQUIRED = ['amount', 'currency', 'return_url'] as const;

export const fieldLaws: readonly Law<HttpSubject>[] = [
  ...rules,
  httpLaw(TOPIC, 'POST /v1/gate_sessions takes a kyc_package of any shape that names its provider', async (world) => {
    for (const value of KYC_GOOD) {
      const { json } = expectStatus(await create(world, { kyc_package: value }), 201);
      assert.equal(json['kyc_pre_verified'], value !== null);
      assert.equal('kyc_package' in json, false);
    }
  }),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions answers 400 validation_failed to a kyc_package without a provider',
    async (world) => {
      for (const value of KYC_BAD) {
        const answer = await create(world, { kyc_package: value });
        expectRefusal(answer, 400, 'validation_failed');
        assert.ok(
          failedFields(answer).every((field) => field.startsWith('kyc_package')),
          answer.text,
        );
      }
    },
  ),
  ...REQUIRED.map((field) =>
    httpLaw(TOPIC, `POST /v1/gate_sessions answers 400 validation_failed without ${field}`, async (world) => {
      const { [field]: _, ...rest } = CREATE_BODY;
      const answer = await world.send('POST', '/v1/gate_sessions', {
        key: SECRET,
        idempotencyKey: freshKey(),
        body: rest,
      });
      expectRefusal(answer, 400, 'validation_failed');
      assert.deepEqual(answer.json['errors'], [{ field, code: 'required', message: `${field} is required` }]);
    }),
  ),
  httpLaw(TOPIC, 'POST /v1/gate_sessions takes null for every optional field as if it were absent', async (world) => {
    const optional = [
      'cancel_url',
      'target_token',
      'target_network',
      'flow',
      'wallet_address',
      'user_reference',
      'kyc_package',
      'metadata',
    ];
    const { json } = expectStatus(await create(world, Object.fromEntries(optional.map((field) => [field, null]))), 201);
    const bare = expectStatus(await create(world), 201).json;
    const own = ['id', 'client_secret'];
    assert.deepEqual(without(json, own), without(bare, own));
  }),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions reports every failed field at once: message is an array, errors names each',
    async (world) => {
      const answer = await create(world, {
        amount: '0',
        currency: 'E',
        return_url: 'nowhere',
        flow: 'buy',
        unknown: 1,
      });
      expectRefusal(answer, 400, 'validation_failed');
      assert.ok(Array.isArray(answer.json['message']));
      assert.deepEqual(failedFields(answer), ['amount', 'currency', 'flow', 'return_url', 'unknown']);
    },
  ),
];

function without(
  members: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
