import { createHmac } from 'node:crypto';

/** Why a verifier refuses; null if it accepts. The reasons of `WebhookSignatureError` in every language. */
export type SignatureReason =
  | 'parsed_body'
  | 'no_header'
  | 'malformed_header'
  | 'no_matching_signature'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'secret_malformed';

/** The form of the body: the text or bytes as received, or an object that a framework parsed. */
type Payload = { readonly payload: string } | { readonly payload_base64: string } | { readonly payload_json: unknown };

export type SignatureVector = Payload & {
  readonly name: string;
  readonly header: string | null;
  readonly secrets: readonly string[];
  /** Epoch seconds. */
  readonly now: number;
  readonly tolerance_seconds: number;
  readonly reason: SignatureReason | null;
};

const T = 1_893_499_440;
const TOLERANCE = 300;
const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
const OTHER = 'whsec_Hc3vM0qYt5JrWb8ZsPx1Ku7NgEa4Ld6F';
const BODY =
  '{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","type":"gate_session.completed","created_at":1893499440,"sequence":3,"livemode":false,"data":{"object":"gate_session","id":"68a1f0c2b7e94d1f3a5c7e90","status":"completed","tx_refid":"gtx_4fq9btzw1klmx7cvn2rs"}}';

const sign = (payload: string | Buffer, secret = SECRET, t: number | string = T): string =>
  createHmac('sha256', secret).update(`${t}.`).update(payload).digest('hex');
const headed = (payload: string | Buffer, secret = SECRET, t: number | string = T): string =>
  `t=${t},v1=${sign(payload, secret, t)}`;

type Changes = Partial<Pick<SignatureVector, 'header' | 'secrets' | 'now' | 'tolerance_seconds' | 'reason'>>;
const vector = (name: string, payload: Payload, changes: Changes): SignatureVector => ({
  name,
  ...payload,
  header: headed(BODY),
  secrets: [SECRET],
  now: T,
  tolerance_seconds: TOLERANCE,
  reason: null,
  ...changes,
});
const text = (name: string, changes: Changes = {}, payload = BODY): SignatureVector =>
  vector(name, { payload }, changes);
const bytes = (name: string, payload: Buffer, changes: Changes): SignatureVector =>
  vector(name, { payload_base64: payload.toString('base64') }, changes);
const parsed = (name: string, json: unknown): SignatureVector =>
  vector(name, { payload_json: json }, { reason: 'parsed_body' });

const PRETTY = JSON.stringify(JSON.parse(BODY), null, 2);
const UNICODE = '{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","data":{"name":"Žofie Müller — 東京 🚀"}}';
const NOT_UTF8 = Buffer.from([...Buffer.from('{"id":"'), 0xff, 0xfe, ...Buffer.from('"}')]);
const FLIPPED = Buffer.from(BODY);
FLIPPED[20] = 0xff;

/** Valid signatures, and one of each kind of invalid ones. A verifier that agrees with all of them agrees with the engine. */
export const SIGNATURE_VECTORS: readonly SignatureVector[] = [
  text('a signature of the body'),
  bytes('the same, as bytes', Buffer.from(BODY), {}),
  text('a body that is laid out over several lines', { header: headed(PRETTY) }, PRETTY),
  text('a body beyond ASCII', { header: headed(UNICODE) }, UNICODE),
  bytes('the same, as bytes of UTF-8', Buffer.from(UNICODE), { header: headed(UNICODE) }),
  text('while the secret rotates: the second v1 fits', { header: `t=${T},v1=${sign(BODY, OTHER)},v1=${sign(BODY)}` }),
  text('while the secret rotates: the receiver knows two, and the older fits', { secrets: [OTHER, SECRET] }),
  text('unknown schemes are skipped', {
    header: `t=${T},v0=ffff,v1=${sign(BODY)},v2=${sign(BODY, OTHER)}`,
  }),
  text('spaces around the parts of the header', { header: ` t=${T} , v1=${sign(BODY)} ` }),
  text('v1 before t', { header: `v1=${sign(BODY)},t=${T}` }),
  text('a v1 that is not a digest next to one that fits', { header: `t=${T},v1=abc,v1=${sign(BODY)}` }),
  text('as old as is tolerated', { now: T + TOLERANCE }),
  text('as far in the future as is tolerated', { now: T - TOLERANCE }),
  text('a tolerance of nothing, in the same second', { tolerance_seconds: 0 }),

  parsed('the body was parsed', JSON.parse(BODY)),
  parsed('the body was parsed and is a list', []),
  parsed('there is no body', null),
  bytes('signed bytes that are no UTF-8', NOT_UTF8, { header: headed(NOT_UTF8), reason: 'parsed_body' }),
  text('signed text that is not JSON', { header: headed('hello'), reason: 'parsed_body' }, 'hello'),
  text('signed JSON that is not an object', { header: headed('[1]'), reason: 'parsed_body' }, '[1]'),
  text('a signed body with a byte-order mark', { header: headed('\ufeff{}'), reason: 'parsed_body' }, '\ufeff{}'),

  text('no secret at all', { secrets: [], reason: 'secret_malformed' }),
  text('an empty secret', { secrets: [''], reason: 'secret_malformed' }),
  text('a line break after the secret', { secrets: [`${SECRET}\n`], reason: 'secret_malformed' }),
  text('a space before the secret', { secrets: [` ${SECRET}`], reason: 'secret_malformed' }),
  text('a space within the secret', { secrets: [SECRET.replace('kLm', 'k m')], reason: 'secret_malformed' }),
  text('quotes around the secret', { secrets: [`"${SECRET}"`], reason: 'secret_malformed' }),
  text('an API key instead of the secret', {
    secrets: ['sk_test_4fQ9bTzW1kLmX7cVn2Rs4yUe'],
    reason: 'secret_malformed',
  }),
  text('a malformed secret next to one that fits', { secrets: [SECRET, ''], reason: 'secret_malformed' }),
  text('a malformed secret, reported before a missing header', {
    header: null,
    secrets: [''],
    reason: 'secret_malformed',
  }),

  text('no header', { header: null, reason: 'no_header' }),
  text('an empty header', { header: '', reason: 'no_header' }),
  text('a header of spaces', { header: '  ', reason: 'no_header' }),

  text('a header that is something else', { header: 'Bearer nonsense', reason: 'malformed_header' }),
  text('no t', { header: `v1=${sign(BODY)}`, reason: 'malformed_header' }),
  text('no v1', { header: `t=${T}`, reason: 'malformed_header' }),
  text('t twice', { header: `t=${T},t=${T},v1=${sign(BODY)}`, reason: 'malformed_header' }),
  text('t twice, the second one fresh', { header: `t=1,v1=${sign(BODY)},t=${T}`, reason: 'malformed_header' }),
  text('a t that is empty', { header: `t=,v1=${sign(BODY)}`, reason: 'malformed_header' }),
  text('a t that is not a number', { header: headed(BODY, SECRET, 'now'), reason: 'malformed_header' }),
  text('a t below zero', { header: headed(BODY, SECRET, -1), reason: 'malformed_header' }),
  text('a t with a fraction', { header: headed(BODY, SECRET, `${T}.5`), reason: 'malformed_header' }),
  text('a t with an exponent', { header: headed(BODY, SECRET, '1e9'), reason: 'malformed_header' }),
  text('a t in milliseconds', { header: headed(BODY, SECRET, T * 1000), reason: 'malformed_header' }),
  text('a t in the digits of another script', { header: headed(BODY, SECRET, '١٨٩٣'), reason: 'malformed_header' }),
  text('a v1 that is too short', { header: `t=${T},v1=${sign(BODY).slice(0, 63)}`, reason: 'malformed_header' }),
  text('a v1 that is too long', { header: `t=${T},v1=${sign(BODY)}0`, reason: 'malformed_header' }),
  text('a v1 in capitals', { header: `t=${T},v1=${sign(BODY).toUpperCase()}`, reason: 'malformed_header' }),

  text('another secret', { secrets: [OTHER], reason: 'no_matching_signature' }),
  text('another time than the one that was signed', {
    header: `t=${T + 1},v1=${sign(BODY)}`,
    reason: 'no_matching_signature',
  }),
  text('a digit of v1 changed', {
    header: headed(BODY).replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
    reason: 'no_matching_signature',
  }),
  text('only a v0', { header: `t=${T},v0=${sign(BODY)},v1=${'0'.repeat(64)}`, reason: 'no_matching_signature' }),
  text(
    'a digit of the body changed',
    { reason: 'no_matching_signature' },
    BODY.replace('"sequence":3', '"sequence":4'),
  ),
  text('a body that was parsed and written again', { reason: 'no_matching_signature' }, PRETTY),
  text('a line break behind the body', { reason: 'no_matching_signature' }, `${BODY}\n`),
  text('a body cut off', { reason: 'no_matching_signature' }, BODY.slice(0, -1)),
  text('no body', { reason: 'no_matching_signature' }, ''),
  bytes('a byte of the body changed into one that is not UTF-8', FLIPPED, { reason: 'no_matching_signature' }),
  text(
    'bytes that are no UTF-8, decoded carelessly',
    { header: headed(NOT_UTF8), reason: 'no_matching_signature' },
    NOT_UTF8.toString('utf8'),
  ),
  text('neither genuine nor fresh: the forgery is reported', {
    secrets: [OTHER],
    now: T + 3600,
    reason: 'no_matching_signature',
  }),

  text('a second older than is tolerated', { now: T + TOLERANCE + 1, reason: 'timestamp_too_old' }),
  text('a day old', { now: T + 86_400, reason: 'timestamp_too_old' }),
  text('a tolerance of nothing, a second later', { now: T + 1, tolerance_seconds: 0, reason: 'timestamp_too_old' }),
  text('a second further in the future than is tolerated', {
    now: T - TOLERANCE - 1,
    reason: 'timestamp_in_future',
  }),
  text('an hour in the future', { now: T - 3600, reason: 'timestamp_in_future' }),
];
