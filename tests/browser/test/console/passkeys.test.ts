import type { Page } from 'playwright-core';
import { TEST_PARTNER } from '@gateramp/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testBrowser } from '../../test-browser.js';
import { passkeyPlaceOf } from '../../../../apps/reference-server/src/sign-in/passkeys.js';
import { consoleServer } from '../../../../apps/reference-server/test/sign-in/console-server.js';
import { passkeyBrowser, type PasskeyBrowser } from '../../virtual-passkeys.js';

const MINUTE = 60_000;

let console: Awaited<ReturnType<typeof consoleServer>>;
let visit: PasskeyBrowser;

beforeEach(async () => {
  console = await consoleServer({ host: 'localhost' });
  visit = await passkeyBrowser(await testBrowser());
  await visit.page.goto(`${console.origin}/console/v1/openapi.json`);
});
afterEach(async () => {
  await visit.close();
  await console.close();
});

interface Answer {
  readonly status: number;
  readonly body: { readonly options?: object; readonly code?: string; readonly actor?: { readonly id: string } } | null;
}

/** Calls the API as the page does. */
function post(page: Page, path: string, body: object): Promise<Answer> {
  return page.evaluate(
    async ([at, text]) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`/console/v1${at}`, { method: 'POST', headers, body: text });
      const given = await answer.text();
      return { status: answer.status, body: given === '' ? null : (JSON.parse(given) as object) };
    },
    [path, JSON.stringify(body)] as const,
  );
}

/** Makes a passkey on the device. */
function create(page: Page, options: object): Promise<object> {
  return page.evaluate(async (given) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(given as never);
    const credential = await navigator.credentials.create({ publicKey });
    if (!(credential instanceof PublicKeyCredential)) throw new Error('The device made no answer.');
    return credential.toJSON();
  }, options);
}

/** Signs with a passkey of the device. */
function sign(page: Page, options: object): Promise<object> {
  return page.evaluate(async (given) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(given as never);
    const credential = await navigator.credentials.get({ publicKey });
    if (!(credential instanceof PublicKeyCredential)) throw new Error('The device made no answer.');
    return credential.toJSON();
  }, options);
}

const invited = (actor = 'ada@example.com') =>
  console.gate.console.passkeys.invite({ actor, role: 'admin', ttl: MINUTE });

async function creationFor(code: string): Promise<object> {
  const { status, body } = await post(visit.page, '/passkeys/enrolment', { code });
  expect(status).toBe(200);
  return body?.options ?? {};
}

async function enrolled(actor?: string): Promise<string> {
  const { id, code } = await invited(actor);
  const answer = await create(visit.page, await creationFor(code));
  expect((await post(visit.page, '/passkeys', { code, answer })).status).toBe(204);
  return id;
}

async function requested(): Promise<object> {
  return (await post(visit.page, '/passkeys/options', {})).body?.options ?? {};
}

async function signedIn(): Promise<Answer> {
  return post(visit.page, '/passkeys/session', { replace: true, answer: await sign(visit.page, await requested()) });
}

const me = (page: Page) => page.evaluate(async () => (await fetch('/console/v1/me')).status);

describe('an operator with a passkey', () => {
  it('registers it at a one-time link, and signs in with it without a name or a password', async () => {
    const doors = () => fetch(`${console.origin}/console/v1/doors`).then((answer) => answer.json());
    expect(await doors()).toEqual({ oidc: null, passkey: false });
    const id = await enrolled();
    expect(await doors()).toEqual({ oidc: null, passkey: true });
    expect(await me(visit.page)).toBe(401);
    expect(await signedIn()).toMatchObject({ status: 201, body: { actor: { id: 'ada@example.com' } } });
    expect(await me(visit.page)).toBe(200);
    const entries = (await console.gate.admin.audit.list()).slice(0, 3);
    expect(entries.map(({ action, actor, reason }) => [action, actor.id, reason])).toEqual([
      ['console_access.sign_in', 'ada@example.com', `Signed in with passkey ${id}`],
      ['console_passkey.register', 'ada@example.com', null],
      ['console_passkey.invite', 'gate.console', null],
    ]);
  });

  it('has one that is theirs, where several are on one device', async () => {
    const first = await enrolled();
    const second = await enrolled('grace@example.com');
    /** Signs in with the passkey of an enrolment. */
    const by = async (id: string): Promise<Answer> => {
      const credential = (await console.gate.console.passkeys.list()).find((one) => one.id === id)?.credential;
      const allowCredentials = [{ type: 'public-key', id: credential?.id }];
      const answer = await sign(visit.page, { ...(await requested()), allowCredentials });
      return post(visit.page, '/passkeys/session', { replace: true, answer });
    };
    expect(await by(first)).toMatchObject({ status: 201, body: { actor: { id: 'ada@example.com' } } });
    expect(await by(second)).toMatchObject({ status: 201, body: { actor: { id: 'grace@example.com' } } });
    await console.gate.console.passkeys.remove(first);
    expect([(await by(first)).status, (await by(second)).status]).toEqual([401, 201]);
  });

  it('does not sign in with a passkey that was removed', async () => {
    const id = await enrolled();
    const answer = await sign(visit.page, await requested());
    await console.gate.console.passkeys.remove(id);
    expect(await post(visit.page, '/passkeys/session', { replace: true, answer })).toMatchObject({ status: 401 });
    expect(await signedIn()).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await me(visit.page)).toBe(401);
  });

  it('does not sign in twice with one answer, or late', async () => {
    await enrolled();
    const answer = await sign(visit.page, await requested());
    const late = await requested();
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer })).status).toBe(201);
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer })).status).toBe(401);
    const signed = await sign(visit.page, late);
    console.pass(5 * MINUTE + 1);
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer: signed })).status).toBe(401);
  });

  it('does not sign in twice with one challenge, also where the device does not count', async () => {
    await enrolled();
    const options = await requested();
    const [first, second] = [await sign(visit.page, options), await sign(visit.page, options)];
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer: first })).status).toBe(201);
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer: second })).status).toBe(401);
    expect(await console.gate.console.list(null)).toHaveLength(1);
  });

  it('does not sign in with a copied key, whose counter is behind', async () => {
    await enrolled();
    const behind = await sign(visit.page, await requested());
    expect((await signedIn()).status).toBe(201);
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer: behind })).status).toBe(401);
  });

  it('does not sign in unless the device has verified the user', async () => {
    await enrolled();
    const { devtools, device } = visit;
    const options = { ...(await requested()), userVerification: 'discouraged' };
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId: device, isUserVerified: false });
    const answer = await sign(visit.page, options);
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer })).status).toBe(401);
  });

  it('does not sign in with an answer from another origin', async () => {
    await enrolled();
    const elsewhere = await consoleServer({ host: 'localhost' });
    const options = await requested();
    await visit.page.goto(`${elsewhere.origin}/console/v1/openapi.json`);
    const answer = await sign(visit.page, options);
    await visit.page.goto(`${console.origin}/console/v1/openapi.json`);
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer })).status).toBe(401);
    await elsewhere.close();
  });

  it('does not sign in with a challenge of an enrolment or of somewhere else', async () => {
    await enrolled();
    const options = await requested();
    const enrolment = (await creationFor((await invited()).code)) as { challenge: string };
    for (const challenge of [enrolment.challenge, Buffer.from('a challenge').toString('base64url')]) {
      const answer = await sign(visit.page, { ...options, challenge });
      expect((await post(visit.page, '/passkeys/session', { replace: true, answer })).status).toBe(401);
    }
  });

  it('is refused whatever else is sent', async () => {
    await enrolled();
    const answer = (await sign(visit.page, await requested())) as { id: string; response: object };
    const wrong = [
      {},
      { response: null },
      { ...answer, id: 'x' },
      { ...answer, response: { ...answer.response, userHandle: 'x' } },
      { ...answer, response: { ...answer.response, signature: 'AAAA' } },
      { ...answer, response: { ...answer.response, clientDataJSON: 'AAAA' } },
      { ...answer, response: { ...answer.response, authenticatorData: '' } },
    ];
    for (const one of wrong)
      expect([one, (await post(visit.page, '/passkeys/session', { replace: true, answer: one })).status]).toEqual([
        one,
        401,
      ]);
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer })).status).toBe(201);
    expect(console.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a user of a partner with a passkey', () => {
  /** Signs in by a link, as a user of a partner. */
  async function entered(actor = 'ada@shop.example'): Promise<string> {
    const { id, code } = await console.gate.console.invite(TEST_PARTNER.id, { mode: 'live', role: 'admin', actor });
    expect((await post(visit.page, '/session', { code, replace: true })).status).toBe(201);
    return id;
  }

  const optionsToAdd = async (): Promise<object> =>
    (await post(visit.page, '/me/passkeys/options', {})).body?.options ?? {};

  async function added(): Promise<Answer> {
    return post(visit.page, '/me/passkeys', { name: 'Laptop', answer: await create(visit.page, await optionsToAdd()) });
  }

  const signedOut = () =>
    visit.page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/console/v1/session', { method: 'DELETE', headers, body: '{}' })).status;
    });

  it('adds it while signed in, and signs in with it to the same access', async () => {
    const doors = () => fetch(`${console.origin}/console/v1/doors`).then((answer) => answer.json());
    expect(await doors()).toEqual({ oidc: null, passkey: false });
    const access = await entered();
    expect((await added()).status).toBe(201);
    expect(await doors()).toEqual({ oidc: null, passkey: true });
    expect(await signedOut()).toBe(204);
    expect(await me(visit.page)).toBe(401);
    expect(await signedIn()).toMatchObject({
      status: 201,
      body: { kind: 'portal', actor: { id: 'ada@shop.example', access_id: access }, mode: 'live' },
    });
    expect(await me(visit.page)).toBe(200);
    console.pass(9 * 60 * MINUTE);
    expect(await me(visit.page)).toBe(401);
    expect((await signedIn()).status).toBe(201);
    await console.gate.console.revoke(TEST_PARTNER.id, access);
    expect(await me(visit.page)).toBe(401);
    expect((await signedIn()).status).toBe(401);
    expect(console.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('has one on a device for each access, and an operator another', async () => {
    const first = await entered();
    expect((await added()).status).toBe(201);
    await expect(added()).rejects.toThrow('InvalidStateError');
    const second = await entered('ada@elsewhere.example');
    expect((await added()).status).toBe(201);
    await enrolled('olga@example.com');
    const { credentials } = await visit.devtools.send('WebAuthn.getCredentials', { authenticatorId: visit.device });
    const people = [];
    for (const { credentialId } of credentials) {
      const id = Buffer.from(credentialId, 'base64').toString('base64url');
      const options = { ...(await requested()), allowCredentials: [{ type: 'public-key', id }] };
      const answer = await sign(visit.page, options);
      const { body } = await post(visit.page, '/passkeys/session', { replace: true, answer });
      people.push((body?.actor as { access_id: string } | undefined)?.access_id);
    }
    expect(people).toHaveLength(3);
    expect(people).toEqual(expect.arrayContaining([first, second]));
  });

  it('does not add one late, twice, for another access or with a challenge to sign in', async () => {
    await entered();
    const add = (answer: object) => post(visit.page, '/me/passkeys', { name: 'x', answer });
    const refused = { status: 400, body: { code: 'validation_failed' } };
    const { challenge } = (await requested()) as { challenge: string };
    expect(await add(await create(visit.page, { ...(await optionsToAdd()), challenge }))).toMatchObject(refused);
    const late = await create(visit.page, await optionsToAdd());
    console.pass(5 * MINUTE + 1);
    expect(await add(late)).toMatchObject(refused);
    for (const wrong of [{}, { response: null }, { id: 'x', response: {} }])
      expect(await add(wrong)).toMatchObject(refused);
    const answer = await create(visit.page, await optionsToAdd());
    expect((await add(answer)).status).toBe(201);
    expect(await add(answer)).toMatchObject({ status: 409, body: { code: 'already_done' } });
    const foreign = await create(visit.page, { ...(await optionsToAdd()), excludeCredentials: [] });
    await entered('grace@shop.example');
    expect(await add(foreign)).toMatchObject(refused);
    expect(console.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('does not add one of a device that verifies no user', async () => {
    await entered();
    const { devtools, device } = visit;
    await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: device });
    const plain = { protocol: 'ctap2', transport: 'usb', hasResidentKey: true, hasUserVerification: false } as const;
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...plain, automaticPresenceSimulation: true },
    });
    const authenticatorSelection = { residentKey: 'discouraged', userVerification: 'discouraged' };
    const answer = await create(visit.page, { ...(await optionsToAdd()), authenticatorSelection });
    expect(await post(visit.page, '/me/passkeys', { name: 'x', answer })).toMatchObject({ status: 400 });
    expect(console.logged.at(-1)?.text).toContain('User verification');
  });

  it('does not sign in with one challenge twice, from another origin, or without a verified user', async () => {
    await entered();
    expect((await added()).status).toBe(201);
    const enter = (answer: object) => post(visit.page, '/passkeys/session', { replace: true, answer });
    const options = await requested();
    const [first, second] = [await sign(visit.page, options), await sign(visit.page, options)];
    expect((await enter(first)).status).toBe(201);
    for (const again of [first, second]) expect((await enter(again)).status).toBe(401);
    const elsewhere = await consoleServer({ host: 'localhost' });
    const asked = await requested();
    await visit.page.goto(`${elsewhere.origin}/console/v1/openapi.json`);
    const foreign = await sign(visit.page, asked);
    await visit.page.goto(`${console.origin}/console/v1/openapi.json`);
    expect((await enter(foreign)).status).toBe(401);
    await elsewhere.close();
    const { devtools, device } = visit;
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId: device, isUserVerified: false });
    const unverified = await sign(visit.page, { ...(await requested()), userVerification: 'discouraged' });
    expect((await enter(unverified)).status).toBe(401);
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId: device, isUserVerified: true });
    expect((await signedIn()).status).toBe(201);
  });

  it('does not sign in with a copied key, whose counter is behind', async () => {
    await entered();
    await added();
    const behind = await sign(visit.page, await requested());
    expect((await signedIn()).status).toBe(201);
    expect((await post(visit.page, '/passkeys/session', { replace: true, answer: behind })).status).toBe(401);
  });
});

describe('the link of an enrolment', () => {
  it('registers one passkey, once, and not late', async () => {
    const { code } = await invited();
    const options = await creationFor(code);
    const [first, second] = [await create(visit.page, options), await create(visit.page, options)];
    expect((await post(visit.page, '/passkeys', { code, answer: first })).status).toBe(204);
    const again = await post(visit.page, '/passkeys', { code, answer: second });
    expect(again).toMatchObject({ status: 401, body: { code: 'invalid_invite' } });
    expect((await post(visit.page, '/passkeys/enrolment', { code })).status).toBe(401);
    const other = await invited();
    const late = await create(visit.page, await creationFor(other.code));
    console.pass(MINUTE + 1);
    expect((await post(visit.page, '/passkeys', { code: other.code, answer: late })).status).toBe(401);
  });

  it('does not register what was made for another link', async () => {
    const [one, other] = [await invited(), await invited('mallory@example.com')];
    const answer = await create(visit.page, await creationFor(other.code));
    expect((await post(visit.page, '/passkeys', { code: one.code, answer })).status).toBe(401);
    expect(await console.gate.console.passkeys.invited(one.code)).not.toBeNull();
  });
});

it('passkeys are bound to a host name: on this machine localhost', () => {
  expect(passkeyPlaceOf('https://console.example.com')).toEqual({
    origin: 'https://console.example.com',
    rpId: 'console.example.com',
  });
  for (const own of ['http://127.0.0.1:4248', 'http://127.0.0.2:4248', 'http://[::1]:4248', 'http://localhost:4248'])
    expect(passkeyPlaceOf(own)).toEqual({ origin: 'http://localhost:4248', rpId: 'localhost' });
  for (const address of ['https://10.0.0.7', 'https://[2001:db8::1]']) expect(passkeyPlaceOf(address)).toBeNull();
});
