import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../tests/services/ports.js';
import type { OidcConfig } from '../../src/sign-in/oidc.js';
import { consoleServer, Jar } from './console-server.js';
import { CLIENT_ID, CLIENT_SECRET, listening, testProvider } from './oidc-provider.js';

const MINUTE = 60_000;
const ADA = { sub: 'u-1', email: 'ada@example.com', email_verified: true, gateramp_roles: ['viewer', 'operator'] };
const COOKIE = 'gate_console';
const STATE_COOKIE = 'gate_sign_in';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** A console and a provider that know each other. */
async function installed({
  inIdToken,
  issuer,
  ...settings
}: Partial<OidcConfig> & { readonly inIdToken?: boolean } = {}) {
  const at = await listening();
  const config = {
    issuer: at.origin,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    rolesClaim: 'gateramp_roles',
    partnersClaim: null,
    scopes: 'openid email',
    ...settings,
  };
  const console = await consoleServer({ oidcOf: () => config });
  const provider = await testProvider(console.origin, {
    at,
    ...(inIdToken === undefined ? {} : { inIdToken }),
    ...(issuer === undefined ? {} : { issuer }),
  });
  provider.person = ADA;
  closers.push(console.close, provider.close);
  return { console, provider, start: `${console.origin}/auth/oidc/start` };
}

type Console = Awaited<ReturnType<typeof installed>>['console'];

const isCallback = (url: string): boolean => new URL(url).pathname === '/auth/oidc/callback';

/** Follows a sign-in up to the address that the provider sends the browser back to. */
async function callbackOf(jar: Jar, start: string): Promise<string> {
  const { next } = await jar.follow(start, isCallback);
  return next ?? '';
}

async function me({ origin }: Console, jar: Jar) {
  const cookie = `${COOKIE}=${jar.cookie(origin, COOKIE) ?? ''}`;
  return (await fetch(`${origin}/console/v1/me`, { headers: { cookie } })).json();
}

async function expectRefusedInTrail({ gate }: Console, actor: string, reason: string): Promise<void> {
  const listed = () => gate.admin.audit.list({ action: 'console_sign_in.refuse' });
  await vi.waitFor(async () =>
    expect(await listed()).toMatchObject([
      { target: { id: 'oidc' }, actor: { id: actor }, reason: expect.stringContaining(reason), partnerId: null },
    ]),
  );
}

async function expectNobodyIn({ gate, origin }: Console, jar: Jar): Promise<void> {
  expect(jar.cookie(origin, COOKIE)).toBeNull();
  expect(await gate.console.list(null)).toEqual([]);
}

describe('single sign-on', () => {
  it('opens a session with the highest role of the claim, and the audit trail names the person', async () => {
    const { console, start } = await installed();
    const jar = new Jar();
    const { next } = await jar.follow(start, (url) => url === `${console.origin}/`);
    expect(next).toBe(`${console.origin}/`);
    expect(await me(console, jar)).toMatchObject({ actor: { type: 'operator', id: ADA.email }, kind: 'operator' });
    expect(await console.gate.console.list(null)).toMatchObject([{ role: 'operator', state: 'active' }]);
    const [entry] = await console.gate.admin.audit.list();
    expect(entry).toMatchObject({ action: 'console_access.sign_in', actor: { type: 'operator', id: ADA.email } });
    expect(entry?.reason).toMatch(/^Signed in at 127\.0\.0\.1:\d+ as u-1$/);
    expect(jar.cookie(console.origin, STATE_COOKIE)).toBeNull();
  });

  it.each([
    ['the ID token', { inIdToken: true }, { gateramp_roles: 'support' }],
    ['the user info', { inIdToken: false }, { gateramp_roles: ['support'] }],
    ['a path', { rolesClaim: 'realm_access.roles' }, { gateramp_roles: [], realm_access: { roles: ['x', 'support'] } }],
  ] as const)('reads roles from %s', async (_, settings, claims) => {
    const { console, provider, start } = await installed(settings);
    provider.person = { ...ADA, ...claims };
    await new Jar().follow(start, (url) => url === `${console.origin}/`);
    expect(await console.gate.console.list(null)).toMatchObject([{ role: 'support' }]);
  });

  it('shows an address as the name of a person only if the provider has verified it', async () => {
    const { console, provider, start } = await installed();
    provider.person = { ...ADA, email_verified: false };
    await new Jar().follow(start, (url) => url === `${console.origin}/`);
    expect(await console.gate.console.list(null)).toMatchObject([{ actor: { id: 'u-1' } }]);
  });

  it.each([
    ['no claim', {}],
    ['no role', { gateramp_roles: [] }],
    ['roles of something else', { gateramp_roles: ['superuser', 'Admin', 1, null] }],
    ['a claim of another shape', { gateramp_roles: { admin: true } }],
  ])('refuses a person with %s', async (_, claims) => {
    const { console, provider, start } = await installed();
    const { gateramp_roles: _roles, ...person } = ADA;
    provider.person = { ...person, ...claims };
    const jar = new Jar();
    const { answer } = await jar.follow(start);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('gateramp_roles')]);
    await expectNobodyIn(console, jar);
    await expectRefusedInTrail(console, 'ada@example.com', 'contains no role');
  });

  it.each([
    ['some partners', ['p_a', 'p_b', 1], ['p_a', 'p_b']],
    ['one partner', 'p_a', ['p_a']],
    ['all partners', ['p_a', '*'], null],
  ])('lets a person of %s see those alone', async (_, claim, partners) => {
    const { console, provider, start } = await installed({ partnersClaim: 'gateramp_partners' });
    provider.person = { ...ADA, gateramp_partners: claim };
    const jar = new Jar();
    await jar.follow(start, (url) => url === `${console.origin}/`);
    expect(await console.gate.console.list(null)).toMatchObject([{ partners }]);
    const { id } = await console.gate.admin.createPartner({ name: 'Another', allowedOrigins: [] });
    const cookie = `${COOKIE}=${jar.cookie(console.origin, COOKIE) ?? ''}`;
    const overview = await fetch(`${console.origin}/console/v1/overview?partner=${id}&mode=test`, {
      headers: { cookie },
    });
    expect(overview.status).toBe(partners === null ? 200 : 404);
  });

  it.each([[undefined], [[]], [{ p_a: true }]])('refuses a person whose partners are %j', async (claim) => {
    const { console, provider, start } = await installed({ partnersClaim: 'gateramp_partners' });
    provider.person = { ...ADA, gateramp_partners: claim };
    const jar = new Jar();
    const { answer } = await jar.follow(start);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('gateramp_partners')]);
    await expectNobodyIn(console, jar);
    await expectRefusedInTrail(console, 'ada@example.com', 'contains no partner');
  });

  it('lets people sign out at the provider too', async () => {
    const { console, provider, start } = await installed();
    const jar = new Jar();
    await jar.follow(start, (url) => url === `${console.origin}/`);
    const doors = (await (await fetch(`${console.origin}/console/v1/doors`)).json()) as {
      oidc: { sign_out_url: string };
    };
    const { answer } = await jar.follow(`${console.origin}${doors.oidc.sign_out_url}`);
    expect(new URL(answer.url).origin).toBe(provider.issuer);
    // The provider asks, and knows where to send the person afterwards.
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('logout')]);
  });

  it('refuses a person whom the provider refuses', async () => {
    const { console, provider, start } = await installed();
    provider.person = { ...ADA, denies: true };
    const jar = new Jar();
    const { answer } = await jar.follow(start);
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('access_denied')]);
    await expectNobodyIn(console, jar);
    await expectRefusedInTrail(console, 'unknown', 'access_denied');
  });

  it.each([
    ['another audience', { claims: { aud: 'another-client' } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another nonce', { claims: { nonce: 'of-another-sign-in' } }],
    ['a time that is over', { claims: { exp: 1, iat: 1 } }],
    ['another signature', { key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey }],
  ])('refuses an ID token with %s', async (_, tampering) => {
    const { console, provider, start } = await installed();
    provider.tampering = tampering;
    const jar = new Jar();
    const { answer } = await jar.follow(start);
    expect(answer.status).toBe(401);
    await expectNobodyIn(console, jar);
  });

  it.each([undefined, '', ' '])('refuses an ID token with the subject %j', async (sub) => {
    const { console, provider, start } = await installed({ inIdToken: true });
    provider.tampering = { claims: { sub } };
    const jar = new Jar();
    const { answer } = await jar.follow(start);
    expect(answer.status).toBe(401);
    await expectNobodyIn(console, jar);
  });

  it('refuses an altered state, and the sign-in of another browser', async () => {
    const { console, start } = await installed();
    const [jar, other] = [new Jar(), new Jar()];
    const callback = new URL(await callbackOf(jar, start));
    await other.follow(start, isCallback);
    for (const [browser, state] of [
      [jar, 'another'],
      [other, callback.searchParams.get('state') ?? ''],
    ] as const) {
      const altered = new URL(callback);
      altered.searchParams.set('state', state);
      expect((await browser.get(altered.href)).status).toBe(401);
      await expectNobodyIn(console, browser);
    }
    expect((await new Jar().get(callback.href)).status).toBe(400);
  });

  it('refuses a callback that is sent again, with its cookie too', async () => {
    const { console, start } = await installed();
    const jar = new Jar();
    const callback = await callbackOf(jar, start);
    const kept = jar.cookie(console.origin, STATE_COOKIE) ?? '';
    expect((await jar.get(callback)).status).toBe(303);
    expect((await jar.get(callback)).status).toBe(400);
    jar.setCookie(console.origin, STATE_COOKIE, kept);
    expect((await jar.get(callback)).status).toBe(401);
    expect(await console.gate.console.list(null)).toHaveLength(1);
  });

  it('refuses a cookie that was altered or signed for something else', async () => {
    const { console, start } = await installed();
    const jar = new Jar();
    const callback = await callbackOf(jar, start);
    const kept = jar.cookie(console.origin, STATE_COOKIE) ?? '';
    const [until = '', ...rest] = kept.split('.');
    for (const wrong of ['', 'x', `${Number(until) + 1}.${rest.join('.')}`, `${kept.slice(0, -2)}AA`, `${kept}A`]) {
      jar.setCookie(console.origin, STATE_COOKIE, wrong);
      expect([wrong, (await jar.get(callback)).status]).toEqual([wrong, 400]);
    }
    await expectNobodyIn(console, jar);
  });

  it('has to be finished within ten minutes', async () => {
    const { console, start } = await installed();
    const jar = new Jar();
    const callback = await callbackOf(jar, start);
    console.pass(10 * MINUTE + 1);
    expect((await jar.get(callback)).status).toBe(400);
    await expectNobodyIn(console, jar);
  });

  it('redirects to the provider and to the console alone, whatever a request says', async () => {
    const { console, provider, start } = await installed();
    const jar = new Jar();
    const evil = 'https://evil.example/';
    const query = `return_to=${evil}&next=${evil}&redirect_uri=${evil}&iss=${evil}`;
    await jar.follow(`${start}?${query}`, (url) => url === `${console.origin}/`);
    const callback = jar.visited.find(({ url }) => isCallback(url))?.url ?? '';
    await jar.get(`${callback}&${query}`);
    const led = jar.visited.flatMap(({ url, location }) => (location === null ? [] : [new URL(location, url).origin]));
    expect(new Set(led)).toEqual(new Set([console.origin, provider.issuer]));
    for (const path of ['/auth/oidc//evil.example', '/auth/oidc/%2F%2Fevil.example', '/auth//evil.example', '/auth/x'])
      expect([path, (await jar.get(`${console.origin}${path}`)).status]).toEqual([path, 404]);
  });

  it('keeps codes, tokens and secrets out of the log', async () => {
    const { console, provider, start } = await installed();
    const jar = new Jar();
    provider.tampering = { claims: { aud: 'another-client' } };
    await jar.follow(start);
    provider.tampering = null;
    const callback = await callbackOf(jar, start);
    const kept = jar.cookie(console.origin, STATE_COOKIE) ?? '';
    await jar.get(callback);
    jar.setCookie(console.origin, STATE_COOKIE, kept);
    await jar.get(callback);
    const log = JSON.stringify(console.logged);
    expect(console.logged.length).toBeGreaterThanOrEqual(2);
    const secrets = [
      CLIENT_SECRET,
      new URL(callback).searchParams.get('code') ?? '',
      kept,
      jar.cookie(console.origin, COOKIE) ?? '',
      ...provider.tokens,
    ];
    for (const secret of secrets) expect(log).not.toContain(secret);
    expect(secrets.every((secret) => secret.length > 10)).toBe(true);
  });
});

describe('a provider that cannot be used', () => {
  it('closes the door, with a line in the log, until it answers', async () => {
    const at = await listening('127.0.0.1', await freePort());
    await at.close();
    const console = await consoleServer({
      oidcOf: () => ({
        issuer: at.origin,
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        rolesClaim: 'gateramp_roles',
        partnersClaim: null,
        scopes: 'openid email',
      }),
    });
    closers.push(console.close);
    const jar = new Jar();
    const start = `${console.origin}/auth/oidc/start`;
    expect((await jar.get(start)).status).toBe(503);
    expect(console.logged).toMatchObject([
      { level: 'warn', text: expect.stringMatching(/GATE_OIDC_ISSUER cannot be used.*ECONNREFUSED/) },
    ]);
    const again = await listening('127.0.0.1', Number(new URL(at.origin).port));
    const provider = await testProvider(console.origin, { at: again });
    closers.push(provider.close);
    provider.person = ADA;
    console.pass(MINUTE);
    await jar.follow(start, (url) => url === `${console.origin}/`);
    expect(await me(console, jar)).toMatchObject({ actor: { id: ADA.email } });
  });

  it('is one whose metadata name another issuer', async () => {
    const { console, start } = await installed({ issuer: 'https://evil.example' });
    expect((await new Jar().get(start)).status).toBe(503);
    expect(console.logged[0]?.text).toContain('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED');
  });

  it('leaves a sign-in unfinished while it is away', async () => {
    const { console, provider, start } = await installed();
    const jar = new Jar();
    const callback = await callbackOf(jar, start);
    await provider.close();
    expect((await jar.get(callback)).status).toBe(503);
    await expectNobodyIn(console, jar);
  });

  it('refuses the console if its secret is wrong', async () => {
    const { console, start } = await installed({ clientSecret: 'wrong' });
    const jar = new Jar();
    const { answer } = await jar.follow(start);
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('invalid_client')]);
    await expectNobodyIn(console, jar);
  });
});

describe('a console without single sign-on', () => {
  it('says at its closed door how to open it', async () => {
    const console = await consoleServer();
    closers.push(console.close);
    const answer = await fetch(`${console.origin}/console/v1/me`);
    expect(answer.status).toBe(401);
    expect(((await answer.json()) as { message: string }).message).toMatch(/gate console enroll.*GATE_OIDC_ISSUER/);
    expect(await (await fetch(`${console.origin}/console/v1/doors`)).json()).toEqual({ oidc: null, passkey: false });
    expect((await new Jar().get(`${console.origin}/auth/oidc/start`)).status).toBe(404);
  });
});
