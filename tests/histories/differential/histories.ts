import type { Scenario } from '@gateramp/extensions/sandbox';
import fc from 'fast-check';
import { CAPABILITY_LISTS } from '../../../packages/conformance/src/http/routes.js';
import {
  asks as quoteAsks,
  attempts,
  brandings,
  confirmations,
  createBodies,
  eventQueries,
  deliveryQueries,
  executions,
  fixedAsks,
  poolAsks,
  replayBodies,
  rotations,
  railQueries,
  sessionQueries,
  takeUps,
  tradeQueries,
  transactionQueries,
} from './bodies.js';
import { ShrinkingHistories } from './shrinking.js';
import type { Around, Ask, Asking, Caller, Command, KeyChoice, Twist } from './command.js';

export function histories(commandsMin: number, commandsMax: number): ShrinkingHistories {
  const drawn = fc.record({
    isLimited: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    quota: fc.constantFrom(null, null, 5),
    commands: fc.array(commands, { minLength: commandsMin, maxLength: commandsMax, size: 'max' }),
  });
  return new ShrinkingHistories(drawn);
}

/** An index, mostly of the latest item, so that a purchase continues. */
const recent = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.nat(3) },
  { weight: 1, arbitrary: fc.nat(40) },
);

const rail = fc.constantFrom('pay_in' as const, 'pay_out' as const);

/** An index, mostly of the first pool. Of the others, one belongs to another partner, and one does not exist. */
const pool = fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) });

const SCENARIOS: readonly Scenario[] = [
  'succeed',
  'decline',
  'kyc_required',
  'kyc_rejected',
  'processing',
  'settlement_error',
  'late_settlement',
  'charged_back',
  'dispute_won',
  'refund_returned',
  'abandon',
];

const ORIGINS = ['https://rival.example', 'https://evil.example', 'https://sandbox-widget.example', 'null', null];

const PATHS = [
  '/',
  '/v1',
  '/v1/gate_sessions/',
  '/V1/gate_sessions',
  '/v1//gate_sessions',
  '/v1/gate_sessions/%67',
  '/v1/%zz',
  '/v1/embed/session',
  '/v1/embed/session/cancel',
  '/v1/embed/bootstrap',
  '/v1/embed/intents/x',
  '/v1/gate_sessions/..',
  '/ready',
  '/v1/gate_sessions/%00',
  '/v1/caf%C3%A9',
];

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];

const asks: fc.Arbitrary<Ask> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ to: fc.constant('create' as const), body: createBodies }) },
  { weight: 4, arbitrary: fc.record({ to: fc.constant('session' as const), session: recent }) },
  { weight: 6, arbitrary: fc.record({ to: fc.constant('sessions' as const), query: sessionQueries }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('transactions' as const), query: transactionQueries }) },
  { weight: 4, arbitrary: fc.record({ to: fc.constant('events' as const), query: eventQueries }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constant('event' as const), event: recent }) },
  { weight: 3, arbitrary: fc.record({ to: fc.constant('timeline' as const), session: recent }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('cancel' as const), session: recent }) },
  {
    weight: 9,
    arbitrary: fc.record({
      to: fc.constant('bootstrap' as const),
      session: fc.oneof({ weight: 12, arbitrary: recent }, { weight: 1, arbitrary: fc.constant(null) }),
      secret: fc.oneof(
        { weight: 8, arbitrary: fc.constant('right' as const) },
        { weight: 1, arbitrary: fc.constantFrom('wrong' as const, 'misnamed' as const) },
      ),
      origin: fc.oneof(
        { weight: 6, arbitrary: fc.constant('https://shop.example') },
        { weight: 1, arbitrary: fc.constantFrom(...ORIGINS) },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('embedSession' as const), token: recent }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constant('cancelEmbedSession' as const), token: recent }) },
  { weight: 4, arbitrary: fc.record({ to: fc.constant('quotes' as const), token: recent, attempt: attempts }) },
  { weight: 10, arbitrary: fc.record({ to: fc.constant('begin' as const), token: recent, attempt: attempts }) },
  { weight: 3, arbitrary: fc.record({ to: fc.constant('intent' as const), intent: recent }) },
  { weight: 6, arbitrary: fc.record({ to: fc.constant('confirm' as const), intent: recent, answer: confirmations }) },
  {
    weight: 6,
    arbitrary: fc.record({
      to: fc.constant('document' as const),
      intent: recent,
      side: fc.constantFrom('front', 'back', 'selfie', 'spine'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ to: fc.constant('cancelIntent' as const), intent: recent }) },
  { weight: 4, arbitrary: fc.record({ to: fc.constant('savedMethods' as const), token: recent }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('removeMethod' as const), method: recent }) },
  { weight: 3, arbitrary: fc.record({ to: fc.constant('transaction' as const), intent: recent }) },
  {
    weight: 4,
    arbitrary: fc.record({
      to: fc.constant('callback' as const),
      intent: recent,
      update: fc.record({
        event: fc.nat(30),
        outcome: fc.constantFrom('processing', 'succeeded', 'failed', 'refunded', 'charged_back', 'vanished'),
        signed: fc.oneof(
          { weight: 5, arbitrary: fc.constant('rightly' as const) },
          { weight: 1, arbitrary: fc.constantFrom('by another' as const, 'long ago' as const, 'not at all' as const) },
        ),
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('preview' as const), body: quoteAsks }) },
  { weight: 6, arbitrary: fc.record({ to: fc.constant('fixQuote' as const), body: fixedAsks }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('fixedQuote' as const), quote: recent }) },
  { weight: 10, arbitrary: fc.record({ to: fc.constant('takeUp' as const), rail, quote: recent, body: takeUps }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('rails' as const), rail, query: railQueries }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('rail' as const), payment: recent }) },
  { weight: 3, arbitrary: fc.record({ to: fc.constant('cancelRail' as const), rail, payment: recent }) },
  {
    weight: 3,
    arbitrary: fc.record({
      to: fc.constant('simulateRail' as const),
      payment: recent,
      scenario: fc.constantFrom('succeed', 'fail', 'processing', 'processing', 'decline'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      to: fc.constant('capabilities' as const),
      list: fc.constantFrom(...CAPABILITY_LISTS, 'planets'),
      isKept: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('rebrand' as const), body: brandings }) },
  {
    weight: 1,
    arbitrary: fc.record({ to: fc.constantFrom('branding' as const, 'clock' as const, 'health' as const) }),
  },
  { weight: 4, arbitrary: fc.record({ to: fc.constant('deliveries' as const), query: deliveryQueries }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constant('delivery' as const), delivery: recent }) },
  { weight: 9, arbitrary: fc.record({ to: fc.constant('replay' as const), delivery: recent }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('replayAll' as const), body: replayBodies }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constant('rotate' as const), body: rotations }) },
  {
    weight: 2,
    arbitrary: fc.record({ to: fc.constantFrom('testWebhook' as const, 'endpoint' as const) }),
  },
  { weight: 1, arbitrary: fc.constant({ to: 'pools' as const }) },
  { weight: 6, arbitrary: fc.record({ to: fc.constant('quotePool' as const), pool, body: poolAsks }) },
  { weight: 8, arbitrary: fc.record({ to: fc.constant('transact' as const), quote: recent, body: executions }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constant('balance' as const), pool }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constant('trades' as const), query: tradeQueries }) },
  {
    weight: 3,
    arbitrary: fc.record({
      to: fc.constant('advance' as const),
      seconds: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom<unknown>(1, 5, 30, 61) },
        { weight: 1, arbitrary: fc.constantFrom<unknown>(301, 1_801, 7_200, 86_400, 0, 1.5, '5', 1e12) },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      to: fc.constant('simulate' as const),
      session: recent,
      scenario: fc.constantFrom(...SCENARIOS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      to: fc.constantFrom('preflight' as const, 'elsewhere' as const),
      method: fc.constantFrom(...METHODS),
      path: fc.constantFrom(...PATHS),
    }),
  },
  { weight: 6, arbitrary: fc.record({ to: fc.constant('repeat' as const), nth: fc.oneof(fc.nat(3), fc.nat(200)) }) },
);

const callers: fc.Arbitrary<Caller> = fc.oneof(
  { weight: 20, arbitrary: fc.constant('owner' as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Caller[]>(
      'rival',
      'rival',
      'other host',
      'other type',
      'unknown',
      'revoked',
      'expired',
      'malformed',
      'none',
    ),
  },
);

const keys: fc.Arbitrary<KeyChoice> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ kind: 'fresh' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('shared' as const), nth: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'none' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bad' as const),
      text: fc.constantFrom('', ' ', 'a b', 'é', 'x'.repeat(256), 'x'.repeat(255)),
    }),
  },
);

const NAMES = [
  'amount',
  'metadata',
  'extra',
  '__proto__',
  'constructor',
  'client_secret',
  'clientSecret',
  'seconds',
  'action',
  '',
];
const VALUES = [
  'null',
  '1',
  '-0',
  '1e999',
  '"100.00"',
  '{}',
  '[]',
  '{"a":1,"a":2}',
  '"\\u0000"',
  '"\\ud800"',
  '01',
  'NaN',
  '{"__proto__":{"isAdmin":true}}',
  '"' + 'x'.repeat(300) + '"',
];
const HEADERS: readonly (readonly [string, string])[] = [
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=latin1'],
  ['content-type', ''],
  ['content-encoding', 'gzip'],
  ['origin', 'https://evil.example'],
  ['authorization', 'Basic YTpi'],
  ['accept', 'text/html'],
  ['x-forwarded-for', '1.2.3.4'],
  ['x-request-id', 'mine'],
  ['x-http-method-override', 'DELETE'],
  ['cookie', 'a=b'],
];

const twists: fc.Arbitrary<Twist> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('splice' as const),
      at: fc.nat(400),
      length: fc.nat(12),
      text: fc.oneof(
        fc.constantFrom('', ',', '{', '}', '"', '\\', '\ufeff', '\u2028', '0'),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('member' as const),
      name: fc.constantFrom(...NAMES),
      json: fc.constantFrom(...VALUES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bytes' as const),
      hex: fc.uint8Array({ maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('blanks' as const), size: fc.constantFrom(0, 65_536, 65_537) }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...HEADERS).map(([name, value]) => ({ kind: 'header' as const, name, value })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('query' as const),
      text: fc.constantFrom('extra=1', 'limit=1&limit=2', 'status=open', '%00=1', 'a=%ff', '=', '&&', 'limit=%32'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('method' as const), method: fc.constantFrom(...METHODS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('suffix' as const),
      text: fc.constantFrom('/', '/x', '%20', '%2F', ';a=1', '.json'),
    }),
  },
);

const asking: fc.Arbitrary<Asking> = fc.record({
  kind: fc.constant('ask' as const),
  ask: asks,
  by: fc.constantFrom<(0 | 1 | 2 | 3)[]>(0, 0, 0, 0, 1, 1, 2, 3),
  caller: callers,
  key: keys,
  twist: fc.oneof({ weight: 14, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: twists }),
});

const partner = fc.constantFrom(0 as const, 1 as const);
const mode = fc.constantFrom('test' as const, 'live' as const);

const around: fc.Arbitrary<Around> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(0, 1, 999, 5_000, 61_000) },
        { weight: 1, arbitrary: fc.constantFrom(301_000, 1_800_001, 7_200_000, 43_200_000) },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('passTo' as const),
      end: fc.nat(20),
      offset: fc.constantFrom(-1 as const, 0 as const, 1 as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('receiver' as const),
      answering: fc.constantFrom(
        'accepts' as const,
        'accepts' as const,
        'refuses' as const,
        'hangs' as const,
        'redirects' as const,
        'refuses every other' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endpoint' as const), partner, mode, isSet: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), partner, mode }) },
);

export const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 10, arbitrary: asking },
  { weight: 1, arbitrary: around },
);
