import { describe, expect, it } from 'vitest';
import { Gate, type CallOptions } from '../../src/index.js';

const ORDER = { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/' };
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The request of a call with these options. */
async function sent(options: CallOptions): Promise<{ readonly headers: Headers; readonly body: unknown }> {
  const requests: Request[] = [];
  const gate = new Gate('sk_test_a', {
    fetch: async (input, init) => {
      requests.push(new Request(input, init));
      return Response.json({ id: '68a1f0c2b7e94d1f3a5c7e90' });
    },
  });
  await gate.gateSessions.create(ORDER, options);
  const [request] = requests;
  if (request === undefined) return expect.unreachable();
  return { headers: request.headers, body: await request.json() };
}

const keyOf = async (options: CallOptions): Promise<string | null> =>
  (await sent(options)).headers.get('idempotency-key');

describe('what a call sends', () => {
  it('has the key that its caller names, as an option or among the headers, else a fresh UUID', async () => {
    expect(await keyOf({ idempotencyKey: 'order-1' })).toBe('order-1');
    expect(await keyOf({ headers: { 'Idempotency-Key': 'order-1' } })).toBe('order-1');
    expect(await keyOf({ idempotencyKey: 'order-1', headers: { 'IDEMPOTENCY-KEY': 'order-2' } })).toBe('order-1');
    expect(await keyOf({ idempotencyKey: undefined })).toMatch(UUID_V4);
  });

  it('never has another key in place of one that its caller left empty: the service refuses that', async () => {
    expect(await keyOf({ idempotencyKey: '' })).toBe('');
    expect(await keyOf({ headers: { 'idempotency-key': '' } })).toBe('');
  });

  it('has further headers, but no other credential than the key of its Gate', async () => {
    const { headers } = await sent({ headers: { 'X-Trace': 'abc', Authorization: 'Bearer sk_test_other' } });
    expect([headers.get('x-trace'), headers.get('authorization')]).toEqual(['abc', 'Bearer sk_test_a']);
  });

  it.each([
    [{ idempotencyKey: 'заказ-1' }, 'idempotency_key_invalid'],
    [{ idempotencyKey: 'order\n1' }, 'idempotency_key_invalid'],
    [{ headers: { 'X-Trace': 'a\r\nHost: elsewhere' } }, 'invalid_header'],
    [{ headers: { 'X Trace': 'a' } }, 'invalid_header'],
  ])('is nothing where a header cannot be sent: %j', async (options, code) => {
    await expect(sent(options)).rejects.toMatchObject({ name: 'InvalidRequestError', code });
  });

  it('has members that this version does not know, which win over those it does', async () => {
    const { body } = await sent({ extraBody: { new_field: { a: 1 }, currency: 'USD' } });
    expect(body).toEqual({ ...ORDER, currency: 'USD', new_field: { a: 1 } });
  });
});
