import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { webhooks } from '../../src/index.js';

const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';

const EVENT = {
  id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  type: 'gate_session.created',
  created_at: 1_893_499_440,
  sequence: 1,
  livemode: false,
  data: { object: 'gate_session', id: '68a1f0c2b7e94d1f3a5c7e90' },
};

/** Delivers a signed body, and returns the answer with the number of handled events. */
async function deliver(body: string | Uint8Array) {
  let handled = 0;
  const receiver = webhooks.receive({ secret: SECRET, handle: () => void (handled += 1) });
  const answer = await receiver.receive(body, webhooks.generateTestHeader({ payload: body, secret: SECRET }));
  const { error } = JSON.parse(answer.body) as { error?: { reason: string; message: string } };
  return { status: answer.status, reason: error?.reason, handled };
}

const REFUSED = { status: 400, reason: 'parsed_body', handled: 0 };

const text = JSON.stringify(EVENT);
const member = (name: keyof typeof EVENT, json: string): string =>
  text.replace(`"${name}":${JSON.stringify(EVENT[name])}`, () => `"${name}":${json}`);

const ODD: Readonly<Record<string, string | Uint8Array>> = {
  'a list': `[${text}]`,
  'a number': '1',
  null: 'null',
  'a text': '"event"',
  nothing: '',
  'an empty object': '{}',
  'bytes that are not UTF-8': Uint8Array.of(...Buffer.from(text.slice(0, -1)), 0xff, 0x7d),
  'a byte order mark': `\uFEFF${text}`,
  'an id that is a number': member('id', '1'),
  'an id that is null': member('id', 'null'),
  'an id that is a list': member('id', '["a"]'),
  'an id that is an object': member('id', '{"a":1}'),
  'an empty id': member('id', '""'),
  'an id with NUL': member('id', String.raw`"a\u0000b"`),
  'an id with a lone surrogate': member('id', String.raw`"a\ud800b"`),
  'an id that no index of a database accepts': member('id', JSON.stringify('x'.repeat(5_000))),
  'a type that is a list': member('type', '["gate_session.created"]'),
  'a type that is an object': member('type', '{}'),
  'no type': text.replace('"type":"gate_session.created",', ''),
  'a sequence that is a text': member('sequence', '"1"'),
  'a sequence that is a list': member('sequence', '[1]'),
  'a sequence of zero': member('sequence', '0'),
  'a sequence with a fraction': member('sequence', '1.5'),
  'a sequence that is true': member('sequence', 'true'),
  'a sequence beyond exact numbers': member('sequence', '9007199254740993'),
  'a sequence beyond all numbers': member('sequence', '1e999'),
  'a created_at that is a text': member('created_at', '"2030-01-01T12:00:00Z"'),
  'a created_at beyond all numbers': member('created_at', '9'.repeat(5_000)),
  'a created_at that is NaN': member('created_at', 'NaN'),
  'a livemode that is a text': member('livemode', '"false"'),
  'data that is a text': member('data', '"data"'),
  'data that is a list': member('data', '[]'),
  'data with a session of NUL': member('data', String.raw`{"object":"gate_session","id":"\u0000"}`),
  'data with a lone surrogate': member('data', String.raw`{"a":["\udc00"]}`),
  'data with a lone surrogate in a name': member('data', String.raw`{"\udc00":1}`),
  'data with a number beyond all numbers': member('data', '{"amount":-1e999}'),
  'data that is nested too deeply': member('data', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  'a repeated id': `{"id":"other",${text.slice(1)}`,
  'an id repeated in other letters': String.raw`{"\u0069d":"other",${text.slice(1)}`,
  'a repeated name in data': member('data', '{"session_id":"a","session_id":"b"}'),
};

describe('a signed body that is not an event', () => {
  it.each(Object.entries(ODD))('such as %s is answered 400 and not handled', async (_, body) => {
    expect(await deliver(body)).toEqual(REFUSED);
  });

  test.prop([fc.constantFrom('id', 'type', 'sequence', 'created_at', 'livemode', 'data'), fc.jsonValue()])(
    'never throws, and is handled only if every member has the type of an event',
    async (name, value) => {
      const isFit = {
        id: typeof value === 'string' && /^[!-~]{1,255}$/.test(value),
        type: typeof value === 'string' && /^[!-~]{1,255}$/.test(value),
        sequence: value === null || (Number.isSafeInteger(value) && Number(value) >= 1),
        created_at: Number.isSafeInteger(value) && Number(value) >= 0,
        livemode: typeof value === 'boolean',
        data: typeof value === 'object' && !Array.isArray(value),
      }[name];
      const answer = await deliver(JSON.stringify({ ...EVENT, [name]: value }));
      expect(answer).toEqual(isFit ? { status: 200, reason: undefined, handled: 1 } : REFUSED);
    },
  );

  test.prop([fc.nat(text.length), fc.nat(4), fc.string({ unit: 'binary', maxLength: 4 })])(
    'never throws where any part of an event is replaced',
    async (at, length, by) => {
      const { status, handled } = await deliver(text.slice(0, at) + by + text.slice(at + length));
      expect([200, 400]).toContain(status);
      expect(handled).toBe(status === 200 ? 1 : 0);
    },
  );
});

describe('an event', () => {
  it.each([
    text,
    '{"id":"e1","type":"new.type"}',
    JSON.stringify({ ...EVENT, sequence: null, data: null, livemode: true, added: { later: [1, -1.5e300] } }),
    JSON.stringify({ ...EVENT, data: { text: '\\"}{[]:,"🚀', a: { b: 1 }, c: [{ b: 1 }, { b: 1 }], b: 1 } }),
    JSON.stringify(EVENT, null, '\n  '),
    member('data', `{"metadata":${'['.repeat(40)}${']'.repeat(40)}}`),
  ])('is handled: %s', async (body) => {
    expect(await deliver(body)).toMatchObject({ status: 200, handled: 1 });
  });
});
