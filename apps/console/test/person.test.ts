import type { Store } from '@gateramp/core/ports';
import { emptyChange } from '@gateramp/core/ports';
import { TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { type Approval, codeOf, KEY, keysOf, liveConsole } from './approvals.js';
import { ask, signedIn, type TestConsole } from './console.js';

const ADMIN = { mode: 'live', role: 'admin' } as const;

const invite = (console: TestConsole, cookie: string, actor?: string) =>
  ask(console, '/team/invites', { method: 'POST', cookie, body: { role: 'admin', actor, reason: 'x' } });

async function enter(console: TestConsole, invited: Response): Promise<string> {
  const { url } = (await invited.json()) as { url: string };
  const opened = await ask(console, '/session', { method: 'POST', body: { code: url.split('#code=')[1] } });
  return (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const post = (console: TestConsole, path: string, cookie: string, body: object = {}) =>
  ask(console, path, { method: 'POST', cookie, body });

async function asked(console: TestConsole, cookie: string): Promise<Approval> {
  return (await (await post(console, '/keys', cookie, { ...KEY, reason: 'x' })).json()) as Approval;
}

const accessOf = async (console: TestConsole, cookie: string) =>
  ((await (await ask(console, '/me', { cookie })).json()) as { actor: { access_id: string } }).actor.access_id;

/** Looks like `bob@shop.example`, and is not. */
const LOOKING_LIKE_BOB = [
  'bob@shop.example',
  'BOB@Shop.Example',
  ' bob@shop.example ',
  'bob @shop.example',
  'b\u{3164}ob@shop.example',
  'bob\u{FE0F}@shop.example',
  'b\u00F6b@shop.example',
  'b\u043Eb@shop.example',
  'b0b@shop.examp1e',
  '\uFF42ob@shop.example',
];

describe('a person in the console', () => {
  it.each(LOOKING_LIKE_BOB)('name_taken: cannot be invited as %j while Bob is present', async (name) => {
    const { console } = await liveConsole();
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve@shop.example' });
    const bob = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, mode: 'test', actor: 'bob@shop.example' });
    const refused = await invite(console, eve, name);
    expect([refused.status, await codeOf(refused)]).toEqual([409, 'name_taken']);
    await ask(console, '/session', { method: 'DELETE', cookie: bob });
    expect((await invite(console, eve, name)).status).toBe(201);
  });

  it('name_taken: an operator who is signed in or has a passkey has a name too, and so has an unopened invitation', async () => {
    const { console } = await liveConsole();
    const door = console.gate.console;
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
    await signedIn(console, null, { role: 'admin', actor: 'olga' });
    const { code } = await door.passkeys.invite({ actor: 'paul' });
    await door.passkeys.register(code, { id: 'AA', publicKey: 'AA', counter: 0, transports: [] });
    expect((await invite(console, eve, 'grace')).status).toBe(201);
    for (const name of ['Olga', 'Paul', 'eve', 'Grace'])
      expect(await codeOf(await invite(console, eve, name))).toBe('name_taken');
  });

  it('name_taken: however many other invitations were made since', async () => {
    const { console } = await liveConsole();
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
    await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'bob' });
    for (let count = 0; count < 205; count += 1)
      await console.gate.console.invite(TEST_PARTNER.id, { mode: 'live', actor: `user ${count}` });
    expect(await codeOf(await invite(console, eve, 'bob'))).toBe('name_taken');
  });

  it('name_taken: of two invitations under one name at once, one is made', async () => {
    const { console } = await liveConsole();
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
    const made = await Promise.all(['bob', 'Bob', ' b0b'].map((name) => invite(console, eve, name)));
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  it('name_taken: the host cannot invite under a name that a user of the console has given either', async () => {
    const { console } = await liveConsole();
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
    await enter(console, await invite(console, eve, 'bob'));
    await expect(console.gate.console.invite(TEST_PARTNER.id, { mode: 'live', actor: 'Bob' })).rejects.toThrow(
      'A current member has this name',
    );
    await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
  });

  it('is another one than the next without a name', async () => {
    const { console } = await liveConsole();
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
    const names = [];
    for (let count = 0; count < 3; count += 1) {
      const cookie = await enter(console, await invite(console, eve));
      names.push(((await (await ask(console, '/me', { cookie })).json()) as { actor: { id: string } }).actor.id);
    }
    expect(new Set(names).size).toBe(3);
  });

  it('collects what their own access requested, also in a later session that the host let in; a namesake does not', async () => {
    const { console } = await liveConsole();
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
    const ben = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'ben' });
    const bob = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'bob' });
    const request = await asked(console, bob);
    expect((await post(console, `/approvals/${request.id}/approve`, ben, { digest: request.digest })).status).toBe(200);
    await ask(console, '/session', { method: 'DELETE', cookie: bob });

    const namesake = await enter(console, await invite(console, eve, 'bob'));
    const shown = (await (await ask(console, `/approvals/${request.id}`, { cookie: namesake })).json()) as Approval;
    expect(shown.can.collect).toBe(false);
    const before = await keysOf(console);
    expect((await post(console, `/approvals/${request.id}/collect`, namesake)).status).toBe(404);
    expect(await keysOf(console)).toBe(before);

    await ask(console, '/session', { method: 'DELETE', cookie: namesake });
    const later = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'bob' });
    expect((await post(console, `/approvals/${request.id}/collect`, later)).status).toBe(200);
    expect(await keysOf(console)).toBe(before + 1);
  });

  it('invited by others collects in that session only, also after being removed and invited again', async () => {
    const { console } = await liveConsole();
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
    const ben = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'ben' });
    const first = await enter(console, await invite(console, eve, 'bob'));
    const request = await asked(console, first);
    await post(console, `/approvals/${request.id}/approve`, ben, { digest: request.digest });
    await ask(console, `/team/${await accessOf(console, first)}`, {
      method: 'DELETE',
      cookie: eve,
      body: { reason: 'x' },
    });
    for (const again of [
      () => invite(console, eve, 'bob').then((invited) => enter(console, invited)),
      () => signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'bob' }),
    ]) {
      const cookie = await again();
      expect((await post(console, `/approvals/${request.id}/collect`, cookie)).status).toBe(404);
      await ask(console, '/session', { method: 'DELETE', cookie });
    }
  });

  it('is known to the host by a subject where it gives one: another one with the same name collects nothing', async () => {
    const { console } = await liveConsole();
    const { console: door } = console.gate;
    const session = async (subject: string, actor: string) =>
      `__Host-gate_console=${(await door.signIn({ actor, role: 'admin', subject, proof: `${subject}${actor}` }))?.token}`;
    const at = `partner=${TEST_PARTNER.id}&mode=live`;
    const olga = await session('sub-1', 'olga@example.com');
    const answer = await post(console, `/keys?${at}`, olga, { ...KEY, reason: 'x' });
    const request = (await answer.json()) as Approval;
    const paul = await session('sub-3', 'paul@example.com');
    const renamed = await session('sub-1', 'olga.new@example.com');
    const approve = (cookie: string) =>
      post(console, `/approvals/${request.id}/approve`, cookie, { digest: request.digest });
    expect(await codeOf(await approve(renamed))).toBe('second_person_required');
    expect((await approve(paul)).status).toBe(200);
    const other = await session('sub-2', 'olga@example.com');
    expect((await post(console, `/approvals/${request.id}/collect`, other)).status).toBe(404);
    expect((await post(console, `/approvals/${request.id}/collect`, renamed)).status).toBe(200);
  });

  it('is named in entries, approvals and the team by their access and by who vouched for it', async () => {
    const { console } = await liveConsole();
    const eve = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'eve' });
    const bob = await enter(console, await invite(console, eve, 'bob'));
    const [eveId, bobId] = [await accessOf(console, eve), await accessOf(console, bob)];
    const actor = {
      ...{ type: 'partner_user', id: 'bob', access_id: bobId },
      vouched_by: { type: 'partner_user', id: 'eve', access_id: eveId },
    };
    expect(await asked(console, bob)).toMatchObject({ requested_by: actor });
    await post(console, '/endpoint/rotate_secret', bob, { reason: 'x' });
    type List = { data: { action: string; actor: object }[] };
    const { data } = (await (await ask(console, '/audit', { cookie: eve })).json()) as List;
    const own = data.filter(({ action }) => /exchange|request|rotate/.test(action)).slice(0, 3);
    expect(own.map((one) => one.actor)).toEqual([actor, actor, actor]);
    const team = (await (await ask(console, '/team', { cookie: eve })).json()) as List;
    expect(team.data.find((one) => 'id' in one && one.id === bobId)).toMatchObject({ actor });
    expect(await console.gate.admin.audit.verify()).toMatchObject({ isIntact: true });
  });

  it('collects a request of an earlier version, which names no access, only if the host let both in', async () => {
    const { console, store } = await liveConsole();
    const ben = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'ben' });
    for (const [vouchedBy, status] of [
      [null, 200],
      [{ type: 'partner_user', id: 'eve' }, 404],
    ] as const) {
      const bob = await signedIn(console, TEST_PARTNER.id, { ...ADMIN, actor: 'bob' });
      const request = await asked(console, bob);
      await rewritten(store, request.id, { requestedBy: { type: 'partner_user', id: 'bob' }, vouchedBy });
      await post(console, `/approvals/${request.id}/approve`, ben, { digest: request.digest });
      expect((await post(console, `/approvals/${request.id}/collect`, bob)).status).toBe(status);
    }
  });
});

async function rewritten(store: Store, id: string, members: object): Promise<void> {
  const scope = { partnerId: '', mode: 'live' } as const;
  const row = await store.find('document', scope, 'console_approval', id);
  if (row === null) throw new Error('The approval is not stored.');
  // The body is JSON text again.
  const body = JSON.stringify({ ...JSON.parse(row.body), ...members, version: row.version + 1 }) as typeof row.body;
  const write = { row: { ...row, version: row.version + 1, body }, expectedVersion: row.version };
  await store.commit({ ...emptyChange(scope, 0), documents: [write] });
}
