import { memoryRateLimits } from '@gateramp/adapters-store-memory';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { ask, ORIGIN, signedIn, testConsole } from './console.js';

/** A console on a clock that stands still, with a tenth of the limits, and a way to call it from an address. */
async function limitedConsole() {
  const { gate } = await createTestGate();
  const time = { now: 0 };
  const rateLimits = { limits: memoryRateLimits({ now: () => time.now }), factor: 0.1 };
  const console = testConsole(gate, { rateLimits });
  const from = (address: string) => ({
    ...console,
    handle: (request: Request) => console.handle(request, address),
  });
  return { gate, time, console, from };
}

const NEW_KEY = { method: 'POST', body: { type: 'secret' } };

describe('/console/v1', () => {
  it('limits the changes of a session, and records no more of them', async () => {
    const { gate, time, console, from } = await limitedConsole();
    const [one, other] = [
      await signedIn(console, TEST_PARTNER.id, { role: 'admin', actor: 'one' }),
      await signedIn(console, TEST_PARTNER.id, { role: 'admin', actor: 'other' }),
    ];
    const make = (cookie: string, address: string) => ask(from(address), '/keys', { ...NEW_KEY, cookie });
    const before = (await gate.admin.audit.list()).length;
    const answers = await Promise.all(Array.from({ length: 20 }, (_, nth) => make(one, `192.0.2.${nth}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(12);
    expect((await gate.admin.audit.list()).length - before).toBe(12);
    const refused = await make(one, '192.0.2.99');
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('retry-after-short')]).toEqual([
      ...[429, '60', '60'],
    ]);
    expect(await refused.json()).toMatchObject({ type: 'rate_limited', code: 'rate_limit_exceeded', statusCode: 429 });
    expect((await ask(from('192.0.2.99'), '/me', { cookie: one })).status).toBe(200);
    expect((await make(other, '192.0.2.99')).status).toBe(201);
    time.now += 60_000;
    expect((await make(one, '192.0.2.99')).status).toBe(201);
  });

  it('limits an address: all its sessions together, and sign-ins before any session', async () => {
    const { from } = await limitedConsole();
    const enter = async (address: string) =>
      (await ask(from(address), '/session', { method: 'POST', body: { code: 'guess' } })).status;
    const statuses = [];
    for (let tries = 0; tries < 5; tries += 1) statuses.push(await enter(`2001:db8::${tries}`));
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(await enter('2001:db8:0:1::1')).toBe(401);
    const reads = await Promise.all(Array.from({ length: 250 }, () => ask(from('192.0.2.7'), '/doors')));
    expect(reads.filter(({ status }) => status === 429)).toHaveLength(10);
    const unknown = await Promise.all(Array.from({ length: 250 }, () => ask(from('192.0.2.8'), '/nothing')));
    expect(unknown.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  it('has no limits of its own without the option', async () => {
    const { gate } = await createTestGate();
    const console = testConsole(gate);
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => console.handle(new Request(`${ORIGIN}/console/v1/me`))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  });
});
