import { join } from 'node:path';
import { openSqlite, sqliteStore } from '@gateramp/adapters-store-sqlite';
import { emptyChange } from '@gateramp/core/ports';
import { TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import type { PasskeyCeremonies } from '../src/index.js';
import { scratchFolder } from '../../../tests/services/scratch-folder.js';
import { liveConsole } from './approvals.js';
import { ask, signedIn, type TestConsole, testConsole } from './console.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const PUBLIC_KEY = 'cHVibGljIGtleSBvZiBhIHBhc3NrZXk';

const credential = (id: string) => ({ id, publicKey: PUBLIC_KEY, counter: 0, transports: ['internal'] });

/** Ceremonies that believe every answer: `{ passkey, proof }` of a new passkey, `{ access, passkey, counter, proof }` of a sign-in. */
const CEREMONIES: PasskeyCeremonies = {
  request: async () => ({}),
  identify: async (answer) => {
    const { access = '', passkey = '', counter = 0, proof = '' } = answer as Partial<Signed>;
    return access === '' ? null : { accessId: access, credentialId: passkey, counter, proof };
  },
  creation: async () => null,
  register: async () => false,
  portalCreation: async (user) => ({ user }),
  portalPasskey: async (_, answer) => {
    const { passkey = '', proof = '' } = answer as Partial<Signed>;
    return passkey === '' ? null : { credential: credential(passkey), proof };
  },
};

interface Signed {
  readonly access: string;
  readonly passkey: string;
  readonly counter?: number;
  readonly proof: string;
}

async function consoleWithPasskeys(ports: Parameters<typeof liveConsole>[0] = {}) {
  const { console: live, store, pass } = await liveConsole(ports);
  const console = testConsole(live.gate, { passkeys: CEREMONIES });
  return { console, store, pass, door: live.gate.console };
}

const cookieOf = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

const post = (console: TestConsole, path: string, body: object = {}, cookie?: string) =>
  ask(console, path, { method: 'POST', body, ...(cookie !== undefined && { cookie }) });

const add = (console: TestConsole, cookie: string, passkey: string, name = 'Laptop') =>
  post(console, '/me/passkeys', { name, answer: { passkey, proof: `added ${passkey}` } }, cookie);

const signIn = (console: TestConsole, answer: Signed, more: { cookie?: string; replace?: boolean } = {}) =>
  post(
    console,
    '/passkeys/session',
    { answer, ...(more.replace !== undefined && { replace: more.replace }) },
    more.cookie,
  );

interface Me {
  readonly actor: { readonly id: string; readonly access_id: string };
  readonly roles: readonly string[];
  readonly mode: string;
  readonly partner: { readonly id: string };
}

async function meOf(console: TestConsole, cookie: string): Promise<Me> {
  return (await (await ask(console, '/me', { cookie })).json()) as Me;
}

const statusOf = async (console: TestConsole, cookie: string): Promise<number> =>
  (await ask(console, '/me', { cookie })).status;

const codeOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { readonly code: string }).code;

/** A portal user who is signed in and has a passkey. */
async function withPasskey(role: 'viewer' | 'admin' = 'admin', ports: Parameters<typeof liveConsole>[0] = {}) {
  const parts = await consoleWithPasskeys(ports);
  const { console } = parts;
  const cookie = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role, actor: 'ada' });
  const added = await add(console, cookie, 'one');
  expect(added.status).toBe(201);
  const { actor } = await meOf(console, cookie);
  let proofs = 0;
  const signed = (counter = 0): Signed => {
    proofs += 1;
    return { access: actor.access_id, passkey: 'one', counter, proof: `challenge ${proofs}` };
  };
  return { ...parts, cookie, access: actor.access_id, id: ((await added.json()) as { id: string }).id, signed };
}

describe('a user of a partner with a passkey', () => {
  it.each([
    ['memory', () => ({})],
    ['SQLite', () => ({ store: sqliteStore(openSqlite(join(scratchFolder('gate-passkeys-'), 'gate.db'))) })],
  ] as const)('signs in again to the same access after its session, however that has ended: %s', async (_, portsOf) => {
    const { console, cookie, pass, access, signed, door } = await withPasskey('viewer', portsOf());
    pass(8 * HOUR + 1);
    expect(await statusOf(console, cookie)).toBe(401);
    expect(await door.list(TEST_PARTNER.id)).toMatchObject([{ id: access, state: 'signed_out' }]);
    const again = cookieOf(await signIn(console, signed()));
    const me = await meOf(console, again);
    expect(me).toMatchObject({
      actor: { id: 'ada', access_id: access },
      mode: 'live',
      partner: { id: TEST_PARTNER.id },
    });
    expect(me.roles).toEqual(['viewer']);
    pass(7 * HOUR);
    expect(await statusOf(console, again)).toBe(200);

    expect((await ask(console, '/session', { method: 'DELETE', cookie: again })).status).toBe(204);
    expect(await statusOf(console, again)).toBe(401);
    expect(await door.list(TEST_PARTNER.id)).toMatchObject([{ id: access, state: 'signed_out' }]);
    expect(await statusOf(console, cookieOf(await signIn(console, signed())))).toBe(200);
  });

  it('can do so as long as the access is not ended, and is listed in the team until then', async () => {
    const { console, pass, access, signed, door } = await withPasskey();
    pass(400 * DAY);
    for (let count = 0; count < 105; count += 1)
      await door.invite(TEST_PARTNER.id, { mode: 'live', actor: `user ${count}` });
    const again = cookieOf(await signIn(console, signed()));
    expect(await statusOf(console, again)).toBe(200);
    pass(31 * DAY);
    const other = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'grace' });
    for (let count = 0; count < 105; count += 1)
      await door.invite(TEST_PARTNER.id, { mode: 'live', actor: `other ${count}` });
    const { data } = (await (await ask(console, '/team', { cookie: other })).json()) as { data: { id: string }[] };
    expect(data.find(({ id }) => id === access)).toMatchObject({ state: 'signed_out', passkeys: 1 });
  });

  it('has one session: signing in elsewhere ends the one that was open', async () => {
    const { console, cookie, signed } = await withPasskey();
    const elsewhere = cookieOf(await signIn(console, signed()));
    expect([await statusOf(console, cookie), await statusOf(console, elsewhere)]).toEqual([401, 200]);
  });

  it.each([
    ['an admin of the partner', 'team'],
    ['an operator', 'host'],
  ] as const)('is out for good once %s ends the access', async (_, who) => {
    const { console, cookie, access, signed, door } = await withPasskey();
    if (who === 'host') expect(await door.revoke(TEST_PARTNER.id, access)).toBe(true);
    else {
      const admin = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'grace' });
      const ended = { method: 'DELETE', cookie: admin, body: { reason: 'left' } } as const;
      expect((await ask(console, `/team/${access}`, ended)).status).toBe(204);
    }
    expect(await statusOf(console, cookie)).toBe(401);
    const refused = await signIn(console, signed());
    expect([refused.status, await codeOf(refused)]).toEqual([401, 'unauthenticated']);
    expect(await door.portalPasskeys.find(access)).toBeNull();
    const [ended] = (await door.list(TEST_PARTNER.id)).filter(({ id }) => id === access);
    expect(ended).toMatchObject({ state: 'ended', passkeys: [] });
  });

  it('is out for good also if the access is ended long after the last session', async () => {
    const { console, access, signed, door, pass } = await withPasskey();
    pass(90 * DAY);
    expect(await door.revoke(TEST_PARTNER.id, access)).toBe(true);
    expect((await signIn(console, signed())).status).toBe(401);
    expect(await door.list(TEST_PARTNER.id)).toMatchObject([{ id: access, state: 'ended' }]);
    // It is kept for thirty days from now.
    pass(29 * DAY);
    expect(await door.revoke(TEST_PARTNER.id, access)).toBe(true);
    pass(2 * DAY);
    expect(await door.revoke(TEST_PARTNER.id, access)).toBe(false);
  });

  it('loses its keys when the access ends, and is out also if a process of an earlier version has kept them', async () => {
    const { access, door, store, signed, console } = await withPasskey();
    const scope = { partnerId: TEST_PARTNER.id, mode: 'live' } as const;
    const stored = async () => {
      const row = await store.find('document', scope, 'console_access', access);
      if (row === null) throw new Error('The access is not stored.');
      return row;
    };
    const active = await stored();
    expect(active.body).toContain(PUBLIC_KEY);
    await door.revoke(TEST_PARTNER.id, access);
    const ended = await stored();
    expect(ended.body).not.toContain(PUBLIC_KEY);
    const version = ended.version + 1;
    // The body is JSON text again.
    const body = JSON.stringify({ ...JSON.parse(active.body), state: 'ended', version }) as typeof ended.body;
    const write = { row: { ...ended, version, body }, expectedVersion: ended.version };
    await store.commit({ ...emptyChange(scope, 0), documents: [write] });
    expect((await signIn(console, signed())).status).toBe(401);
    expect(await door.portalPasskeys.find(access)).toBeNull();
  });

  it('does not come back when ending the access and signing in race', async () => {
    const { console, access, signed, door } = await withPasskey();
    const [answer] = await Promise.all([signIn(console, signed()), door.revoke(TEST_PARTNER.id, access)]);
    expect(answer.status === 201 ? await statusOf(console, cookieOf(answer)) : 401).toBe(401);
    expect((await signIn(console, signed())).status).toBe(401);
  });

  it('signs in once with one challenge, however many attempts race', async () => {
    const { console, signed } = await withPasskey();
    const answer = signed();
    const race = await Promise.all(Array.from({ length: 6 }, () => signIn(console, answer)));
    expect(race.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401, 401, 401]);
    expect((await signIn(console, answer)).status).toBe(401);
  });

  it('is refused with a counter that has not increased, which a copied key has', async () => {
    const { console, signed } = await withPasskey();
    expect((await signIn(console, signed(7))).status).toBe(201);
    for (const counter of [7, 6, 0]) expect((await signIn(console, signed(counter))).status).toBe(401);
    expect((await signIn(console, signed(8))).status).toBe(201);
  });

  it('is refused with a passkey that is unknown, was removed, or belongs to another access', async () => {
    const { console, cookie, id, signed } = await withPasskey();
    const other = await signedIn(console, TEST_PARTNER.id, { actor: 'grace', role: 'admin' });
    await add(console, other, 'hers');
    const elsewhere = (await meOf(console, other)).actor.access_id;
    for (const wrong of [
      { passkey: 'unknown' },
      { passkey: 'hers' },
      { access: elsewhere },
      { access: 'f'.repeat(24) },
      { access: 'x' },
    ])
      expect([wrong, (await signIn(console, { ...signed(), ...wrong })).status]).toEqual([wrong, 401]);
    expect((await ask(console, `/me/passkeys/${id}`, { method: 'DELETE', cookie })).status).toBe(204);
    expect((await signIn(console, signed())).status).toBe(401);
    expect(await statusOf(console, cookie)).toBe(200);
  });

  it('replaces an open session of another person only if that is asked for', async () => {
    const { console, signed } = await withPasskey();
    const other = await signedIn(console, TEST_PARTNER.id, { actor: 'grace' });
    const answer = signed();
    for (const replace of [undefined, false]) {
      const refused = await signIn(console, answer, { cookie: other, ...(replace !== undefined && { replace }) });
      expect([refused.status, await codeOf(refused)]).toEqual([409, 'session_open']);
    }
    expect((await meOf(console, other)).actor.id).toBe('grace');
    // The challenge is unused.
    const done = await signIn(console, answer, { cookie: other, replace: true });
    expect((await meOf(console, cookieOf(done))).actor.id).toBe('ada');
  });

  it('reserves the name of its person while the passkey can sign in', async () => {
    const { console, pass, access, door } = await withPasskey();
    pass(9 * HOUR);
    const admin = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'grace' });
    const invite = () => post(console, '/team/invites', { actor: 'Ada', reason: 'x' }, admin);
    expect(await codeOf(await invite())).toBe('name_taken');
    await door.revoke(TEST_PARTNER.id, access);
    expect((await invite()).status).toBe(201);
  });

  it('is the person who asked before: collects then what this access requested', async () => {
    const { console, cookie, signed, door } = await withPasskey();
    const asked = (await (await post(console, '/keys', { type: 'secret', reason: 'x' }, cookie)).json()) as {
      id: string;
      digest: string;
    };
    const ben = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'ben' });
    await post(console, `/approvals/${asked.id}/approve`, { digest: asked.digest }, ben);
    await ask(console, '/session', { method: 'DELETE', cookie });
    const again = cookieOf(await signIn(console, signed()));
    expect((await post(console, `/approvals/${asked.id}/collect`, {}, again)).status).toBe(200);
    expect((await door.approvals.find(asked.id))?.state).toBe('done');
  });

  it('keeps who vouched for it, so that the inviter is not a second person', async () => {
    const { console } = await consoleWithPasskeys();
    const eve = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'eve' });
    const invited = await post(console, '/team/invites', { role: 'admin', actor: 'bob', reason: 'x' }, eve);
    const { url } = (await invited.json()) as { url: string };
    const bob = cookieOf(await post(console, '/session', { code: url.split('#code=')[1] }));
    await add(console, bob, 'bobs');
    const access = (await meOf(console, bob)).actor.access_id;
    const again = cookieOf(await signIn(console, { access, passkey: 'bobs', proof: 'p' }));
    const asked = (await (await post(console, '/keys', { type: 'secret', reason: 'x' }, again)).json()) as {
      id: string;
      digest: string;
    };
    const approved = await post(console, `/approvals/${asked.id}/approve`, { digest: asked.digest }, eve);
    expect(await codeOf(approved)).toBe('second_person_required');
  });

  it('leaves an entry of each step in the audit trail, with the person, and without the key', async () => {
    const { console, cookie, access, id, signed, door } = await withPasskey();
    const answer = await signIn(console, signed());
    const again = cookieOf(answer);
    await ask(console, `/me/passkeys/${id}`, { method: 'DELETE', cookie: again });
    expect(await statusOf(console, cookie)).toBe(401);
    await door.revoke(TEST_PARTNER.id, access);
    const entries = await console.gate.admin.audit.list({ partnerId: TEST_PARTNER.id, limit: 4 });
    const actor = { type: 'partner_user', id: 'ada', accessId: access };
    expect(entries).toMatchObject([
      { action: 'console_access.revoke', target: { id: access }, mode: 'live' },
      { action: 'console_passkey.remove', target: { type: 'console_passkey', id }, actor, mode: 'live' },
      {
        action: 'console_access.reopen',
        target: { type: 'console_access', id: access },
        actor,
        reason: `Signed in with passkey ${id}`,
        requestId: answer.headers.get('x-request-id'),
      },
      { action: 'console_passkey.add', target: { type: 'console_passkey', id }, actor, mode: 'live' },
    ]);
    expect(JSON.stringify(entries)).not.toContain(PUBLIC_KEY);
    expect(await console.gate.admin.audit.verify()).toMatchObject({ isIntact: true });
  });
});

describe('the passkeys of a user of a partner', () => {
  it('are their own: each lists and removes those of their access', async () => {
    const { console, cookie, id } = await withPasskey();
    await add(console, cookie, 'two', ' Phone ');
    const other = await signedIn(console, TEST_PARTNER.id, { mode: 'live', actor: 'grace', role: 'admin' });
    const namesOf = async (one: string) =>
      ((await (await ask(console, '/me/passkeys', { cookie: one })).json()) as { data: { name: string }[] }).data.map(
        ({ name }) => name,
      );
    expect([await namesOf(cookie), await namesOf(other)]).toEqual([['Laptop', 'Phone'], []]);
    const removed = await ask(console, `/me/passkeys/${id}`, { method: 'DELETE', cookie: other });
    expect(removed.status).toBe(404);
    expect(await namesOf(cookie)).toEqual(['Laptop', 'Phone']);
    expect((await ask(console, `/me/passkeys/${id}`, { method: 'DELETE', cookie })).status).toBe(204);
    expect((await ask(console, `/me/passkeys/${id}`, { method: 'DELETE', cookie })).status).toBe(404);
    expect(await namesOf(cookie)).toEqual(['Phone']);
  });

  it('are ten at most, have a printable name, and are added once', async () => {
    const { console, cookie } = await withPasskey();
    for (const name of ['', ' ', 'x'.repeat(61), 'a\u202Eb'])
      expect([name, (await add(console, cookie, 'named', name)).status]).toEqual([name, 400]);
    expect(await codeOf(await add(console, cookie, ''))).toBe('validation_failed');
    const again = { passkey: 'one', proof: 'another challenge' };
    expect(await codeOf(await post(console, '/me/passkeys', { name: 'x', answer: again }, cookie))).toBe(
      'already_done',
    );
    const answer = { passkey: 'copy', proof: 'added one' };
    expect(await codeOf(await post(console, '/me/passkeys', { name: 'x', answer }, cookie))).toBe('already_done');
    expect(await codeOf(await add(console, cookie, 'x'.repeat(5_000)))).toBe('already_done');
    const made = await Promise.all(
      Array.from({ length: 9 }, (_, nth) => nth).map((nth) => add(console, cookie, `n${nth}`)),
    );
    const late = made.filter(({ status }) => status === 503).length;
    for (let nth = 0; nth < late; nth += 1) await add(console, cookie, `late ${nth}`);
    expect(await codeOf(await add(console, cookie, 'eleventh'))).toBe('too_many');
  });

  it('not_available: operators have others, and so has a host without ceremonies', async () => {
    const { console, door } = await consoleWithPasskeys();
    const operator = await signedIn(console, null, { role: 'admin', actor: 'olga' });
    const identified = testConsole(console.gate, {
      passkeys: CEREMONIES,
      authorize: () => ({ actor: 'olga', roles: ['admin'], partners: 'all' }),
    });
    const bare = testConsole(console.gate);
    const ada = await signedIn(bare, TEST_PARTNER.id);
    for (const [one, cookie] of [
      [console, operator],
      [identified, ''],
      [bare, ada],
    ] as const) {
      expect((await ask(one, '/me/passkeys', { cookie })).status).toBe(501);
      expect((await post(one, '/me/passkeys/options', {}, cookie)).status).toBe(501);
      expect(await codeOf(await add(one, cookie, 'x'))).toBe('not_available');
      expect((await ask(one, '/me/passkeys/x', { method: 'DELETE', cookie })).status).toBe(501);
      const { features } = (await (await ask(one, '/me', { cookie })).json()) as { features: { passkeys: boolean } };
      expect(features.passkeys).toBe(false);
    }
    expect(await door.portalPasskeys.exist()).toBe(false);
    const token = operator.split('=')[1] ?? '';
    expect(await door.portalPasskeys.add(token, { name: 'x', credential: credential('x'), proof: 'x' })).toBe('closed');
  });

  it('are not added by a session that has ended', async () => {
    const { console, pass } = await consoleWithPasskeys();
    const cookie = await signedIn(console, TEST_PARTNER.id);
    pass(8 * HOUR + 1);
    expect((await add(console, cookie, 'late')).status).toBe(401);
    const token = cookie.split('=')[1] ?? '';
    const late = { name: 'x', credential: credential('x'), proof: 'x' };
    expect(await console.gate.console.portalPasskeys.add(token, late)).toBe('closed');
  });

  it('differ by person, partner and mode', async () => {
    const { console } = await consoleWithPasskeys();
    const cookie = await signedIn(console, TEST_PARTNER.id, { mode: 'live', actor: 'ada' });
    const { actor } = await meOf(console, cookie);
    const options = await (await post(console, '/me/passkeys/options', {}, cookie)).json();
    const user = { accessId: actor.access_id, name: `ada (${TEST_PARTNER.name}, live)` };
    expect(options).toEqual({ options: { user } });
  });
});
