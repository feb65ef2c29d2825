import { describe, expect, it } from 'vitest';
import { Gate, InvalidRequestError } from '../../src/index.js';

const ORDER = { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/' };
const NOON = new Date('2026-07-01T12:00:00.250Z');

/** A gate, and the requests that it has sent. */
function gateAndRequests() {
  const requests: Request[] = [];
  const gate = new Gate('sk_test_a', {
    fetch: async (input, init) => {
      requests.push(new Request(input, init));
      return Response.json({ data: [], has_more: false, url: '/' });
    },
  });
  return { gate, requests };
}

async function bodyOf(members: object): Promise<unknown> {
  const { gate, requests } = gateAndRequests();
  await gate.gateSessions.create({ ...ORDER, ...members });
  return requests[0]?.json();
}

async function queryOf(query: object): Promise<readonly (readonly [string, string])[]> {
  const { gate, requests } = gateAndRequests();
  await gate.gateSessions.list(query);
  return [...new URL(requests[0]?.url ?? '').searchParams];
}

/** The error of a call that has sent nothing. */
async function refusalOf(call: (gate: Gate) => PromiseLike<unknown>): Promise<InvalidRequestError> {
  const { gate, requests } = gateAndRequests();
  const error = await (async () => call(gate))().then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(requests).toEqual([]);
  if (!(error instanceof InvalidRequestError)) return expect.unreachable(String(error));
  return error;
}

const circle: Record<string, unknown> = {};
circle['self'] = [circle];
const sparse = ['a'];
sparse[2] = 'c';
let deep: unknown = 1;
for (let level = 0; level < 100_000; level += 1) deep = [deep];

describe('values of a body', () => {
  it('are sent as JSON, with dates in ISO 8601', async () => {
    const metadata = {
      at: NOON,
      list: [NOON, null, 1.5, true, { deep: 'ž\u2028' }],
      url: new URL('https://a.example/'),
      left_out: undefined,
      own: Object.assign(Object.create(null), { a: 1 }) as object,
    };
    expect(await bodyOf({ metadata })).toEqual({ ...ORDER, metadata: JSON.parse(JSON.stringify(metadata)) });
  });

  it('may be one object in two places', async () => {
    const item = { at: NOON };
    expect(await bodyOf({ metadata: { a: item, b: [item, item] } })).toMatchObject({
      metadata: { a: { at: NOON.toISOString() }, b: [{ at: NOON.toISOString() }, { at: NOON.toISOString() }] },
    });
  });

  it('keep a member named __proto__', async () => {
    const metadata: unknown = JSON.parse('{"__proto__":{"a":1}}');
    const { gate, requests } = gateAndRequests();
    await gate.gateSessions.create({ ...ORDER, metadata: metadata as Record<string, unknown> });
    expect(await requests[0]?.text()).toContain('"metadata":{"__proto__":{"a":1}}');
  });

  it.each([
    ['a bigint', 10n, /is a bigint\. Send String\(value\) for an amount, or Number\(value\)/],
    ['NaN', Number.NaN, /is NaN\. Send a finite number/],
    ['infinity', Number.NEGATIVE_INFINITY, /is -Infinity\. Send a finite number/],
    ['a date that is none', new Date('yesterday'), /is an invalid Date/],
    ['a function', () => 1, /is a function/],
    ['a symbol', Symbol('a'), /is a symbol/],
    ['a Map', new Map([['a', 1]]), /is a Map\. Send Object\.fromEntries\(map\)/],
    ['a Set', new Set([1]), /is a Set\. Send \[\.\.\.set\]/],
    ['a promise', Promise.resolve(1), /is a Promise\. Await it first/],
    ['an error', new Error('a'), /is an Error\. Send a plain object or text/],
    ['bytes', new Uint8Array(1), /is an? Uint8Array\. /],
  ])(
    '%s is refused by the path of its member, and nothing is sent',
    async (_: string, value: unknown, message: RegExp) => {
      const atTop = await refusalOf((gate) => gate.gateSessions.create({ ...ORDER, amount: value as string }));
      expect(atTop).toMatchObject({ code: 'invalid_body', message: expect.stringMatching(message) });
      expect(atTop.message).toMatch(/^amount is/);
      const metadata = { order: { items: [1, value] } };
      const inside = await refusalOf((gate) => gate.gateSessions.create({ ...ORDER, metadata }));
      expect(inside.message).toMatch(/^metadata\.order\.items\[1\] is/);
      const extra = await refusalOf((gate) => gate.gateSessions.create(ORDER, { extraBody: { more: value } }));
      expect(extra.message).toMatch(/^more is/);
    },
  );

  it.each([
    ['an object that contains itself', circle, /^metadata\.of\.self\[0\] contains itself/],
    ['a sparse array', sparse, /^metadata\.of has no item 1/],
    ['an undefined item', [undefined], /^metadata\.of has no item 0/],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('No a');
        },
      },
      /^The body cannot be sent: No a\./,
    ],
    ['a nesting beyond the stack', deep, /^The body cannot be sent: /],
  ])('%s is refused', async (_, of, message) => {
    const refused = await refusalOf((gate) => gate.gateSessions.create({ ...ORDER, metadata: { of } }));
    expect(refused).toMatchObject({ code: 'invalid_body', message: expect.stringMatching(message) });
  });

  it.each([
    ['a Map', new Map([['amount', '1']])],
    ['an Array', [ORDER]],
    ['text', 'amount=1'],
    ['a Date', NOON],
  ])('are not %s in place of the members', async (_: string, body: unknown) => {
    const refused = await refusalOf((gate) => gate.gateSessions.create(body as typeof ORDER));
    expect(refused).toMatchObject({ code: 'invalid_body', message: expect.stringMatching(/^The body is /) });
  });
});

describe('values of a query', () => {
  it('are sent as text: dates in ISO 8601, bigints in decimal', async () => {
    const query = { created_after: NOON, limit: 10n, flow: undefined, user_reference: 'a b&c=ž', status: null };
    expect(await queryOf(query)).toEqual([
      ['created_after', NOON.toISOString()],
      ['limit', '10'],
      ['user_reference', 'a b&c=ž'],
    ]);
  });

  it('a date may be given where its type says so', async () => {
    const { gate, requests } = gateAndRequests();
    await gate.transactions.list({ created_after: NOON, created_before: '2026-08-01' });
    await gate.webhooks.deliveries.replayAll({ created_before: NOON });
    expect(requests[0]?.url).toContain('?created_after=2026-07-01T12%3A00%3A00.250Z&created_before=2026-08-01');
    expect(await requests[1]?.json()).toEqual({ created_before: NOON.toISOString() });
  });

  it.each([
    [{ limit: Number.NaN }, /^limit is NaN/],
    [{ created_after: new Date(Number.NaN) }, /^created_after is an invalid Date/],
    [{ status: ['open'] }, /^status is an Array\. Send text, a number, a boolean or a Date/],
    [{ status: { a: 1 } }, /^status is an Object\. /],
    [{ status: new Set(['open']) }, /^status is a Set/],
    [{ status: () => 'open' }, /^status is a function/],
    [{ user_reference: '\uD800' }, /^The query cannot be sent: /],
  ])('%j is refused by the name of its parameter, and nothing is sent', async (query, message) => {
    const refused = await refusalOf((gate) => gate.gateSessions.list(query as object));
    expect(refused).toMatchObject({ code: 'invalid_query', message: expect.stringMatching(message) });
  });
});

it.each([1n, Symbol('a'), Object.create(null), Number.NaN, '\uD800', new Date(0)])(
  'an id that is no text is refused without an attempt',
  async (id: unknown) => {
    const refused = await refusalOf((gate) => gate.gateSessions.retrieve(id as string));
    expect(refused).toMatchObject({ code: 'id_missing' });
  },
);
