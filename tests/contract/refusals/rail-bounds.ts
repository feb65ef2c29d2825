import assert from 'node:assert/strict';
import {
  createQuote,
  createRail,
  expectRefusal,
  expectStatus,
  failedFields,
  httpLaw,
  type HttpSubject,
  type Law,
  type Members,
  PAYOUT,
  type RailNoun,
} from '../kit.js';

const TOPIC = 'HTTP: bounds of pay-ins and pay-outs';

/** One code point, two UTF-16 units. */
const astral = (count: number) => '\u{1f600}'.repeat(count);

interface Bound {
  readonly rail: RailNoun;
  readonly field: string;
  readonly says: string;
  readonly longest: Members;
  readonly tooLong: Members;
}

const metadata = (bytes: number) => ({ metadata: { a: 'x'.repeat(bytes - '{"a":""}'.length) } });
const holder = (name: string) => ({ beneficiary: { ...PAYOUT, account_holder: name } });

const BOUNDS: readonly Bound[] = [
  ...(['pay_in', 'pay_out'] as const).flatMap((rail): readonly Bound[] => [
    {
      rail,
      field: 'user_reference',
      says: 'at most 128 code points',
      longest: { user_reference: astral(128) },
      tooLong: { user_reference: astral(129) },
    },
    { rail, field: 'metadata', says: 'at most 16 KiB', longest: metadata(16_384), tooLong: metadata(16_385) },
  ]),
  {
    rail: 'pay_out',
    field: 'beneficiary.account_holder',
    says: '1 to 140 code points',
    longest: holder(astral(140)),
    tooLong: holder(astral(141)),
  },
];

export const railBounds: readonly Law<HttpSubject>[] = [
  ...BOUNDS.map(({ rail, field, says, longest, tooLong }) =>
    httpLaw(
      TOPIC,
      `POST /v1/rails/${rail}s takes a ${field} of ${says}, and answers 400 validation_failed to more`,
      async (world) => {
        const over = await createRail(world, rail, tooLong);
        expectRefusal(over, 400, 'validation_failed');
        assert.deepEqual(failedFields(over), [field]);
        expectStatus(await createRail(world, rail, longest), 201);
      },
    ),
  ),
  httpLaw(
    TOPIC,
    'POST /v1/quotes prices amounts from 1.00 to 10000.00, and answers 422 amount_below_minimum or amount_above_maximum outside',
    async (world) => {
      for (const amount of ['1.00', '1', '10000.00', '10000']) expectStatus(await createQuote(world, { amount }), 201);
      expectRefusal(await createQuote(world, { amount: '0.99' }), 422, 'amount_below_minimum');
      expectRefusal(await createQuote(world, { amount: '10000.01' }), 422, 'amount_above_maximum');
    },
  ),
];
