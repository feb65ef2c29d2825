import { createTestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { signInOperator } from '../src/index.js';
import { ask, ORIGIN, testConsole } from './console.js';

const HOUR = 3_600_000;
const ADA = { actor: 'ada@example.com', role: 'operator', proof: 'challenge 1', reason: 'by passkey' } as const;

async function gateInTime() {
  let now = Date.UTC(2030, 0, 1);
  const clock = { now: () => now, wall: () => now, advanceTo: async () => undefined };
  const { gate } = await createTestGate({ ports: { testClock: clock } });
  return { gate, pass: (ms: number) => (now += ms) };
}

const cookieOf = (header: string | null): string => (header ?? '').split(';')[0] ?? '';

describe('the ways to sign in', () => {
  it('are what the host offers, to everyone; none by default', async () => {
    const { gate } = await createTestGate();
    const bare = await ask(testConsole(gate), '/doors');
    expect([bare.status, await bare.json()]).toEqual([200, { oidc: null, passkey: false }]);
    const oidc = { url: '/auth/oidc/start', sign_out_url: null };
    const doors = { oidc, passkey: true, links: 'command' } as const;
    expect(await (await ask(testConsole(gate, { doors: async () => doors }), '/doors')).json()).toEqual(doors);
  });

  it('are named to a visitor without a session', async () => {
    const console = testConsole((await createTestGate()).gate, { howToEnter: 'Ring the bell.' });
    const answer = await ask(console, '/me');
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 'unauthenticated', message: 'Ring the bell.' });
  });
});

describe('an operator whom the host has identified', () => {
  it('has a session of the console with their name, for eight hours', async () => {
    const { gate, pass } = await gateInTime();
    const console = testConsole(gate);
    const header = await signInOperator({ gate, origin: ORIGIN }, ADA);
    expect(header).toContain('Max-Age=28800; Path=/; HttpOnly; SameSite=Strict; Secure');
    const cookie = cookieOf(header);
    const me = await (await ask(console, '/me', { cookie })).json();
    expect(me).toMatchObject({
      kind: 'operator',
      actor: { id: ADA.actor },
      roles: expect.arrayContaining(['operator']),
    });
    expect((await gate.console.list(null))[0]).toMatchObject({ state: 'active', actor: { id: ADA.actor } });
    const [entry] = await gate.admin.audit.list();
    expect(entry).toMatchObject({
      action: 'console_access.sign_in',
      actor: { type: 'operator', id: ADA.actor },
      reason: 'by passkey',
    });
    pass(8 * HOUR + 1);
    expect((await ask(console, '/me', { cookie })).status).toBe(401);
  });

  it('sees the partners that the host names, at most 1,000', async () => {
    const { gate } = await createTestGate();
    const signIn = (partners: unknown) =>
      gate.console.signIn({
        actor: 'ada',
        role: 'viewer',
        proof: JSON.stringify(partners),
        partners: partners as string[],
      });
    const ids = Array.from({ length: 1_000 }, (_, nth) => `p_${nth}`);
    expect((await signIn(ids))?.access.partners).toEqual(ids);
    expect((await signIn(null))?.access.partners).toBeNull();
    await expect(signIn([...ids, 'one_more'])).rejects.toThrow('partners has 1001 ids');
    for (const wrong of ['p_1', [''], [1]])
      await expect(signIn(wrong)).rejects.toThrow('partners must be an array of ids');
  });

  it('loses it when it is revoked', async () => {
    const { gate } = await createTestGate();
    const console = testConsole(gate);
    const cookie = cookieOf(await signInOperator({ gate, origin: ORIGIN }, ADA));
    const [access] = await gate.console.list(null);
    expect(await gate.console.revoke(null, access?.id ?? '')).toBe(true);
    expect((await ask(console, '/me', { cookie })).status).toBe(401);
  });

  it('gets one session for one proof, however many attempts race', async () => {
    const { gate } = await createTestGate();
    const race = Array.from({ length: 8 }, () => signInOperator({ gate, origin: ORIGIN }, ADA));
    expect((await Promise.all(race)).filter((header) => header !== null)).toHaveLength(1);
    expect(await signInOperator({ gate, origin: ORIGIN }, ADA)).toBeNull();
    expect(await gate.console.list(null)).toHaveLength(1);
    expect(await signInOperator({ gate, origin: ORIGIN }, { ...ADA, proof: 'challenge 2' })).not.toBeNull();
  });
});

describe('a passkey', () => {
  const CREDENTIAL = { id: 'Y3JlZA', publicKey: 'a2V5', counter: 0, transports: ['internal'] };
  const invitation = { actor: ADA.actor, role: 'admin', ttl: 5_000 } as const;

  it('is registered once for an invitation, however many attempts race', async () => {
    const { gate } = await createTestGate();
    const { code } = await gate.console.passkeys.invite(invitation);
    const race = Array.from({ length: 8 }, () => gate.console.passkeys.register(code, CREDENTIAL));
    expect((await Promise.all(race)).filter((one) => one !== null)).toHaveLength(1);
    expect(await gate.console.passkeys.invited(code)).toBeNull();
    expect(await gate.console.passkeys.list()).toMatchObject([{ state: 'active', actor: ADA.actor, role: 'admin' }]);
  });

  it('is not registered with a late, altered or other code', async () => {
    const { gate, pass } = await gateInTime();
    const { passkeys } = gate.console;
    const { code } = await passkeys.invite(invitation);
    const { code: entry } = await gate.console.invite(null, { actor: ADA.actor, role: 'admin' });
    const wrong = [
      '',
      `${code}x`,
      code.replace(/\.[^.]{43}$/, `.${'a'.repeat(43)}`),
      entry,
      entry.replace('gci_', 'gce_'),
    ];
    for (const text of wrong) expect([text, await passkeys.register(text, CREDENTIAL)]).toEqual([text, null]);
    expect(await gate.console.exchange(code)).toBeNull();
    pass(5_001);
    expect(await passkeys.register(code, CREDENTIAL)).toBeNull();
    expect(await passkeys.list()).toMatchObject([{ state: 'expired' }]);
  });

  it('is used with an increasing counter only, unless its device does not count', async () => {
    const { gate } = await createTestGate();
    const { passkeys } = gate.console;
    const made = async () => (await passkeys.register((await passkeys.invite(invitation)).code, CREDENTIAL))?.id ?? '';
    const [counting, plain] = [await made(), await made()];
    expect(await passkeys.use(counting, 7)).not.toBeNull();
    for (const counter of [7, 6, 0]) expect(await passkeys.use(counting, counter)).toBeNull();
    expect(await passkeys.use(counting, 8)).not.toBeNull();
    for (const counter of [0, 0]) expect(await passkeys.use(plain, counter)).not.toBeNull();
  });

  it('is never used again once it is removed; every step is in the audit trail', async () => {
    const { gate } = await createTestGate();
    const door = gate.console.as({ type: 'cli', id: 'ops' }, { reason: 'Ada has left' });
    const { id, code } = await door.passkeys.invite(invitation);
    await gate.console.passkeys.register(code, CREDENTIAL);
    expect(await door.passkeys.remove(id)).toMatchObject({ state: 'removed' });
    expect(await gate.console.passkeys.find(id)).toBeNull();
    expect(await gate.console.passkeys.use(id, 1)).toBeNull();
    expect(await gate.console.passkeys.register(code, CREDENTIAL)).toBeNull();
    const entries = (await gate.admin.audit.list()).slice(0, 3);
    expect(entries.map(({ action, actor, reason }) => [action, actor.id, reason])).toEqual([
      ['console_passkey.remove', 'ops', 'Ada has left'],
      ['console_passkey.register', ADA.actor, null],
      ['console_passkey.invite', 'ops', 'Ada has left'],
    ]);
    expect(JSON.stringify(entries)).not.toContain(code.split('.').at(-1));
  });
});
