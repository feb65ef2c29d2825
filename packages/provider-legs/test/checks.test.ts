import { describeLaws, identityLegLaws, screeningLegLaws } from '@gateramp/conformance';
import {
  FAKE_BLOCKED_ENDING,
  FAKE_REJECTED_NAME,
  fakeIdentity,
  fakeScreening,
  httpIdentity,
  httpScreening,
  memoryLegsStore,
  type IdentityLeg,
  type ScreeningLeg,
} from '@gateramp/provider-legs';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { checkService, SECRET, TROUBLES, type CheckService } from './check-service.js';
import { serviceScreening } from './service-screening.js';
import { answered, buy, owedToCustomers, providerOf, REFUND_ADDRESS, sell, swap, world, type World } from './world.js';

/** For a service that does not answer. */
const SHORT_MS = 300;
/** For one that does: a machine that stands still for seconds must not end its calls. */
const LONG_MS = 60_000;
const HMAC = { kind: 'hmac', secret: SECRET } as const;

const troublesOf = (service: CheckService) => ({
  troubles: TROUBLES,
  cause: (trouble: string | null) => {
    service.trouble = trouble;
  },
  close: service.close,
});

const WORDS = {
  clear: { result: 'clear' },
  blocked: { result: 'blocked' },
  pending: { result: 'pending', check_after_seconds: 2 },
  verified: { result: 'verified' },
  rejected: { result: 'rejected', message: 'Too young.' },
  asks: { result: 'requires_action', next_action: { type: 'kyc', level: 'basic', fields: ['first_name'] } },
} as const;

describe.each([HMAC, { kind: 'bearer', token: SECRET } as const])('over HTTP, by $kind', (credential) => {
  describeLaws(
    screeningLegLaws,
    {
      async create() {
        const service = await checkService();
        const within = (timeoutMs: number) => httpScreening({ url: service.url, credential, timeoutMs });
        const [hasty, patient] = [within(SHORT_MS), within(LONG_MS)];
        const by = () => (service.trouble === 'silence' ? hasty : patient);
        const leg: ScreeningLeg = { name: patient.name, screen: (order) => by().screen(order) };
        return { leg, decide: (result) => void (service.answer = WORDS[result]), ...troublesOf(service) };
      },
    },
    { describe, it },
  );
  describeLaws(
    identityLegLaws,
    {
      async create() {
        const service = await checkService();
        const within = (timeoutMs: number) => httpIdentity({ url: service.url, credential, timeoutMs });
        const [hasty, patient] = [within(SHORT_MS), within(LONG_MS)];
        const by = () => (service.trouble === 'silence' ? hasty : patient);
        const leg: IdentityLeg = {
          name: patient.name,
          check: (order) => by().check(order),
          confirm: (order) => by().confirm(order),
        };
        return { leg, decide: (result) => void (service.answer = WORDS[result]), ...troublesOf(service) };
      },
    },
    { describe, it },
  );
});

describe('the leg that the docs show', () => {
  describeLaws(
    screeningLegLaws,
    {
      async create() {
        const service = await checkService();
        const within = (timeoutMs: number) => serviceScreening({ url: service.url, token: SECRET, timeoutMs });
        const [hasty, patient] = [within(SHORT_MS), within(LONG_MS)];
        const by = () => (service.trouble === 'silence' ? hasty : patient);
        const leg: ScreeningLeg = { name: patient.name, screen: (order) => by().screen(order) };
        // It reads long answers, which are valid.
        const troubles = TROUBLES.filter((trouble) => trouble !== 'an endless answer');
        const decide = (result: keyof typeof WORDS) => void (service.answer = WORDS[result]);
        return { leg, decide, ...troublesOf(service), troubles };
      },
    },
    { describe, it },
  );
});

test('the fakes decide by the address, the amount and the name', async () => {
  const call = { callId: 'op1-screen', mode: 'test', now: 0, asset: 'USDC', network: 'base' } as const;
  const screening = fakeScreening();
  const order = { ...call, amount: '1', moment: 'before_payment' } as const;
  expect(await screening.screen({ ...order, address: REFUND_ADDRESS })).toEqual({ kind: 'clear' });
  const blocked = REFUND_ADDRESS.slice(0, -8) + FAKE_BLOCKED_ENDING.toUpperCase();
  expect(await screening.screen({ ...order, address: blocked })).toEqual({ kind: 'blocked' });

  const store = memoryLegsStore();
  const checked = { callId: 'op1-identify', mode: 'test', now: 0, currency: 'EUR', countryCode: null } as const;
  const kyc = { firstName: 'A', dateOfBirth: '1990-01-01', documentNumber: null };
  const confirm = (lastName: string) =>
    fakeIdentity({ store }).confirm({ ...checked, confirmation: { action: 'kyc', kyc: { ...kyc, lastName } } });
  expect(await fakeIdentity({ store }).check({ ...checked, amount: '15' })).toEqual({ kind: 'verified' });
  expect(await fakeIdentity({ store }).check({ ...checked, amount: '14.5' })).toMatchObject({
    kind: 'requires_action',
  });
  expect(await confirm(FAKE_REJECTED_NAME)).toMatchObject({ kind: 'failed' });
  // The first verdict is final, in another process too.
  expect(await confirm('Lovelace')).toMatchObject({ kind: 'failed' });
  expect(await fakeIdentity({ store }).check({ ...checked, amount: '14.5' })).toMatchObject({ kind: 'failed' });
});

test('a hosted identity page is a redirect whose end is counted in the time of the mode', async () => {
  const service = await served();
  const identity = httpIdentity({ url: service.url, credential: HMAC });
  const order = {
    callId: 'op1-identify',
    mode: 'test',
    now: 5,
    amount: '1',
    currency: 'EUR',
    countryCode: 'DE',
  } as const;
  const page = (url: string, expiresInMs: number) => ({
    result: 'requires_action',
    next_action: { type: 'redirect', url, expires_at: new Date(Date.now() + expiresInMs).toISOString() },
  });
  service.answer = page('https://id.example/check/1', 600_000);
  const asked = await identity.check(order);
  expect(asked).toMatchObject({ nextAction: { type: 'redirect', url: 'https://id.example/check/1' } });
  const expiresAt =
    asked.kind === 'requires_action' && 'expiresAt' in asked.nextAction ? asked.nextAction.expiresAt : 0;
  expect(expiresAt).toBeGreaterThan(500_000);
  expect(expiresAt).toBeLessThanOrEqual(600_005);
  const unusable = [
    page('javascript:alert(1)', 9_000),
    page('https://a@b.example/', 9_000),
    page('https://b.example/', -1),
  ];
  for (const [index, answer] of unusable.entries()) {
    service.answer = answer;
    await expect(identity.check({ ...order, callId: `op${index}-unusable` })).rejects.toThrow('not usable');
  }
});

test('while screening is silent nothing is captured or sent, and it goes on when the service answers', async () => {
  const w = world();
  const service = await served();
  const screening = httpScreening({ url: service.url, credential: HMAC, timeoutMs: LONG_MS });
  const provider = providerOf({ ...w, screening }, () => {});
  service.answer = WORDS.pending;
  await provider.start(buy(w.now));
  service.trouble = 'an error';
  await workFor(w, provider, 30);
  expect(w.chain.sends.size).toBe(0);
  expect(await w.store.entries('op1')).toEqual([]);
  expect(service.seen.map(({ call_id: id, moment }) => `${String(id)} ${String(moment)}`)).toContain(
    'op1-screen before_payment',
  );
  // The service repeats its first answer: the check stays pending, and the buyer can still cancel.
  service.trouble = null;
  await provider.cancel({ operationId: 'op1', mode: 'test', now: w.now });
  await workFor(w, provider, 30);
  expect(answered(await provider.lookup({ operationId: 'op1', mode: 'test', now: w.now })).outcome).toEqual({
    kind: 'cancelled',
  });
});

test.each([
  ['sale', sell],
  ['swap', swap],
])('a %s whose refund address is blocked ends before a deposit is asked for', async (_, order) => {
  const w = world();
  const screening: ScreeningLeg = {
    name: 'by address',
    screen: async ({ address }) => ({ kind: address === REFUND_ADDRESS ? 'blocked' : 'clear' }),
  };
  const provider = providerOf({ ...w, screening }, () => {});
  const answer = answered(await provider.start(order(w.now)));
  expect(answer.outcome).toMatchObject({ kind: 'failed', failure: { code: 'sanctions_blocked' } });
});

test('a buyer who is asked for an identity pays only after it is verified, and a rejected one gets the authorization back', async () => {
  for (const [lastName, outcome] of [
    ['Lovelace', { kind: 'succeeded' }],
    [FAKE_REJECTED_NAME, { kind: 'failed', failure: { code: 'kyc_rejected' } }],
  ] as const) {
    const w = world();
    const identity = fakeIdentity({ store: w.store });
    const provider = providerOf({ ...w, identity }, () => {});
    const order = buy(w.now, { amount: '14.50' });
    expect(answered(await provider.start(order)).outcome).toMatchObject({ nextAction: { type: 'kyc' } });
    await workFor(w, provider, 30);
    expect(w.chain.sends.size).toBe(0);
    const kyc = { firstName: 'A', lastName, dateOfBirth: '1990-01-01', documentNumber: null };
    await provider.confirm({ ...order, now: w.now, confirmation: { action: 'kyc', kyc } });
    await workFor(w, provider, 10);
    expect((await provider.lookup(order))?.outcome).toMatchObject(outcome);
    expect(await owedToCustomers(w)).toEqual([]);
  }
});

async function served(): Promise<CheckService> {
  const service = await checkService();
  onTestFinished(service.close);
  return service;
}

async function workFor(w: World, provider: ReturnType<typeof providerOf>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    w.now += 1_000;
    await provider.work('test', w.now);
  }
}
