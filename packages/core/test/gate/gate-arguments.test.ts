import { memoryRateLimits, memoryStore, inProcessScheduler } from '@gateramp/adapters-store-memory';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { EventType } from '../../src/domain/webhook/event-types.js';
import { createGate, GateArgumentError, type Gate, type GatePorts, type Policy } from '@gateramp/core';
import { contractProblem } from '@gateramp/core/ports';
import { silentTelemetry } from '@gateramp/core/runtime';
import { TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

const SCOPE = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;

function ports(changes: object = {}): GatePorts {
  const sound = {
    store: memoryStore(),
    scheduler: inProcessScheduler(),
    limits: memoryRateLimits(),
    providers: [sandboxProvider()],
  };
  return { ...sound, ...changes };
}

/** Calls it as plain JavaScript might, with any value. */
function problemsOf(given: unknown, policy?: unknown): readonly string[] {
  try {
    createGate(given as GatePorts, policy as Partial<Policy> | undefined);
    return [];
  } catch (error) {
    if (error instanceof GateArgumentError) return error.problems;
    throw error;
  }
}

async function refusal(call: (admin: Gate['admin']) => Promise<unknown>): Promise<readonly string[]> {
  const [result] = await Promise.allSettled([call(createGate(ports()).admin)]);
  if (result.status === 'fulfilled') return [];
  expect(result.reason).toBeInstanceOf(GateArgumentError);
  return result.reason instanceof GateArgumentError ? result.reason.problems : [];
}

/** A value that the types forbid, as plain JavaScript may pass it. */
function anything<Type>(value: unknown): Type {
  return value as Type;
}

describe('createGate', () => {
  it('accepts what it needs and nothing else', () => {
    expect(problemsOf(ports())).toEqual([]);
  });

  it('lists all ports that are missing or lack methods, with the actual values', () => {
    expect(problemsOf(undefined)).toEqual([
      'The ports must be an object with store, scheduler, limits, providers, not undefined.',
    ]);
    expect(problemsOf({ store: {}, scheduler: inProcessScheduler, providers: 'sandbox', telemtry: {} })).toEqual([
      expect.stringMatching(/^telemtry is not a port; the ports are store, /),
      expect.stringMatching(/^store lacks commit, findReply, reap, find and \d+ more methods\. /),
      'scheduler is a function: it must be an object with wake, start, close.',
      'limits is missing: it must be an object with hit, peek.',
      'providers must be an array of providers, not a string of 7 characters.',
    ]);
  });

  it.each([
    [
      'a provider whose name cannot be part of a URL',
      { providers: [{ ...sandboxProvider(), name: 'My Bank/1' }] },
      /^providers\[0\]\.name must be 1 to 64/,
    ],
    [
      'two providers of one name',
      { providers: [sandboxProvider(), sandboxProvider()] },
      /^providers\[1\]\.name is already the name of another/,
    ],
    [
      'a provider without a method',
      { providers: [{ ...sandboxProvider(), lookup: undefined }] },
      /^providers\[0\] lacks lookup\.$/,
    ],
    [
      'a widget origin with a path',
      { hosts: { test: { widgetOrigin: 'https://pay.example/embed' } } },
      /^hosts\.test\.widgetOrigin must be an exact origin .*\(perhaps "https:\/\/pay\.example"\)/,
    ],
    [
      'a widget origin without https',
      { hosts: { live: { widgetOrigin: 'http://pay.example' } } },
      /^hosts\.live\.widgetOrigin must use https/,
    ],
    [
      'a host of an invalid mode',
      { hosts: { sandbox: { widgetOrigin: 'https://pay.example' } } },
      /^hosts\.sandbox is not a mode/,
    ],
    [
      'a master key as text',
      { masterKey: 'c2VjcmV0' },
      /^masterKey must be a Uint8Array of 32 bytes, not a string of 8 characters/,
    ],
    [
      'a master key of another length',
      { masterKey: new Uint8Array(16) },
      /^masterKey must have 32 bytes; it has 16\.$/,
    ],
    [
      'an old master key of another length',
      { oldMasterKeys: [new Uint8Array(16)] },
      /^oldMasterKeys\[0\] must have 32 bytes/,
    ],
    [
      'a durable store without a master key',
      { store: { ...memoryStore(), isDurable: true } },
      /^masterKey is missing: this store outlives the process/,
    ],
    [
      'a durable store with a weak one',
      { store: { ...memoryStore(), isDurable: true }, masterKey: new Uint8Array(32).fill(7) },
      /^masterKey is too weak/,
    ],
    [
      'a store that does not say whether it lasts',
      { store: { ...memoryStore(), isDurable: undefined } },
      /^store\.isDurable must be true if/,
    ],
    ['a clock without a wall', { clock: { now: () => 0 } }, /^clock lacks wall/],
    ['a switch that is text', { allowPrivateWebhooks: 'yes' }, /^allowPrivateWebhooks must be true or false/],
  ])('refuses %s', (_, changes, problem) => {
    expect(problemsOf(ports(changes))).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    ['store', { store: { ...memoryStore(), contract: 3 } }],
    ['scheduler', { scheduler: { ...inProcessScheduler(), contract: 3, wake: undefined } }],
    ['limits', { limits: { ...memoryRateLimits(), contract: 3 } }],
    ['telemetry', { telemetry: { ...silentTelemetry(), contract: 3 } }],
    ['providers[0]', { providers: [{ ...sandboxProvider(), contract: 3, lookup: undefined }] }],
    ['extensions[0]', { extensions: [{ name: 'own', contract: 3 }] }],
  ])('refuses an adapter for later ports, and says what to install: %s', (place, changes) => {
    expect(problemsOf(ports(changes))).toEqual([
      `${place} states contract 3; the installed @gateramp/core takes contracts 1 to 2. Install a newer @gateramp/core, or a release of the adapter for one of them.`,
    ]);
  });

  it('takes an adapter that states no contract as one for contract 1', () => {
    expect(problemsOf(ports({ limits: { ...memoryRateLimits(), contract: undefined } }))).toEqual([]);
    expect(contractProblem('limits', {}, '@gateramp/core', { oldest: 2, newest: 3 })).toBe(
      'limits states no contract, which counts as 1; the installed @gateramp/core takes contracts 2 to 3. Install a release of the adapter for one of them.',
    );
    for (const contract of [2, 3])
      expect(contractProblem('limits', { contract }, '@gateramp/core', { oldest: 2, newest: 3 })).toBeNull();
  });

  it.each(['1', 0, 1.5, NaN, null])('refuses the contract %s', (contract) => {
    expect(problemsOf(ports({ limits: { ...memoryRateLimits(), contract } }))).toEqual([
      'limits.contract must be a whole number above 0: the version of the ports that the adapter was written to.',
    ]);
  });

  it.each([
    [
      'a name that there is not',
      { sessionLifeTime: 1 },
      'policy.sessionLifeTime is not a policy setting; did you mean sessionLifetime?',
    ],
    [
      'text',
      { sessionLifetime: '2h' },
      'policy.sessionLifetime must be a whole number above 0 (durations are milliseconds), not a string of 2 characters.',
    ],
    [
      'a negative duration',
      { attemptTimeout: -1 },
      'policy.attemptTimeout must be a whole number above 0 (durations are milliseconds), not the number -1.',
    ],
    [
      'NaN',
      { requestTimeout: NaN },
      'policy.requestTimeout must be a whole number above 0 (durations are milliseconds), not the number NaN.',
    ],
    [
      'a part of one',
      { providerErrorsMax: 1.5 },
      'policy.providerErrorsMax must be a whole number above 0 (durations are milliseconds), not the number 1.5.',
    ],
    [
      'an unknown way of expiry',
      { expiry: 'never' },
      'policy.expiry must be "hold_while_processing" or "strict", not a string of 5 characters.',
    ],
    [
      'an invalid gap',
      { retryGaps: [1_000, 0] },
      'policy.retryGaps must be an array of whole milliseconds above 0, not an array of 2.',
    ],
    [
      'an attempt longer than its lease',
      { attemptTimeout: 60_000 },
      'policy.attemptTimeout (60000) must be below 60000, or an attempt in progress is claimed again.',
    ],
    [
      'an attempt as short as a look-up of its name',
      { attemptTimeout: 5_000 },
      'policy.attemptTimeout (5000) must be above 5000, or the receiver has no time to answer.',
    ],
    [
      'a step longer than its lease',
      { providerAnswerTimeout: 30_000, requestTimeout: 40_000 },
      'policy.providerAnswerTimeout (30000) must be below 30000, or a step in progress is recovered while its request still waits for it.',
    ],
  ])('refuses a policy of %s', (_, policy, problem) => {
    expect(problemsOf(ports(), policy)).toEqual([problem]);
  });

  it('lists faults of ports and policy in one error, and quotes nothing that may be secret', () => {
    const secret = 'whsec_do_not_quote_me_anywhere';
    const given = {
      ...ports(),
      masterKey: secret,
      providers: [{ name: secret }],
      hosts: { test: { widgetOrigin: secret } },
    };
    const problems = problemsOf(given, { expiry: secret, sessionLifetime: 0 });
    expect(problems).toHaveLength(5);
    expect(new GateArgumentError('x', problems).message).not.toContain(secret);
    expect(() => createGate(ports({ limits: undefined }))).toThrow(
      'createGate received invalid arguments (1 problem):\n  - limits is missing',
    );
  });
});

describe('gate.admin', () => {
  it('accepts valid arguments', async () => {
    expect(
      await refusal((admin) =>
        admin.savePartner({ ...TEST_PARTNER, allowedOrigins: ['https://shop.example', 'http://localhost:3000'] }),
      ),
    ).toEqual([]);
    expect(await refusal((admin) => admin.setEndpoint(SCOPE, { url: null, secret: null }))).toEqual([]);
  });

  it('lists all faults of a partner at once', async () => {
    const partner = {
      ...TEST_PARTNER,
      id: 'a b',
      name: '',
      allowedOrigins: ['https://shop.example/', '*', 'https://*.shop.example'],
      entitlements: ['swaps'],
      completedSessionsQuota: -1,
      live: true,
    };
    const problems = await refusal((admin) => admin.savePartner(anything(partner)));
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'id',
      'name',
      'allowedOrigins[0]',
      'allowedOrigins[1]',
      'allowedOrigins[2]',
      'entitlements[0]',
      'completedSessionsQuota',
      'live',
    ]);
    expect(problems[2]).toContain('(perhaps "https://shop.example")');
  });

  it("lists all faults of a partner's restrictions, including an empty list", async () => {
    const problemsOf = (restrictions: unknown) =>
      refusal((admin) => admin.savePartner(anything({ ...TEST_PARTNER, restrictions })));
    const problems = await problemsOf({
      payment_methods: ['card'],
      flows: [],
      paymentMethods: ['cash'],
      assets: 'USDC',
      countries: ['de'],
      limits: [
        { currency: 'EUR', maxAmount: '10.00' },
        { currency: 'EUR' },
        { currency: 'EUR', minAmount: '2', maxAmount: '1' },
        { currency: 'EUR', maxAmount: 10 },
        { currency: 'euro', maxAmount: '1' },
        { currency: 'EUR', maxAmount: '1', asset: 'USDC' },
      ],
    });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'restrictions.flows',
      'restrictions.paymentMethods',
      'restrictions.assets',
      'restrictions.countries',
      ...[1, 2, 3, 4].map((index) => `restrictions.limits[${index}]`),
      'restrictions.limits[5].asset',
      'restrictions.payment_methods',
    ]);
    expect(await problemsOf('card')).toEqual([expect.stringMatching(/^restrictions must be an object/)]);
    for (const nothing of [undefined, null, {}]) expect(await problemsOf(nothing)).toEqual([]);
  });

  it.each(['sk_test_short', 'sk_prod_0000000000000000', 'hello', '', null, 7])(
    'refuses the key %o without quoting it',
    async (key) => {
      for (const call of [
        (admin: Gate['admin']) => admin.addKey(TEST_PARTNER.id, anything(key)),
        (admin: Gate['admin']) => admin.revokeKey(anything(key)),
      ]) {
        const [problem, ...others] = await refusal(call);
        expect(problem).toMatch(/^A key looks like sk_test_…/);
        expect(others).toEqual([]);
        if (typeof key === 'string' && key !== '') expect(problem).not.toContain(key);
      }
    },
  );

  it.each([
    [
      'a URL without a scheme',
      { url: 'shop.example/hooks', secret: null },
      /^url must be an absolute http or https URL/,
    ],
    [
      'a URL with a password',
      { url: 'https://me:hunter2@shop.example', secret: null },
      /^url must be .* without user name and password/,
    ],
    [
      'a secret of another form',
      { url: null, secret: 'my-very-own-secret-of-length' },
      /^A webhook secret is "whsec_"/,
    ],
    ['a secret that can be guessed', { url: null, secret: 'whsec_short' }, /^A webhook secret is "whsec_" and 16/],
    [
      'a first URL without a secret',
      { url: 'https://shop.example/hooks', secret: null },
      /^secret must be given with the first url/,
    ],
    ['no object', null, /^The endpoint must be \{ url, secret \}/],
  ])('refuses an endpoint with %s', async (_, endpoint, problem) => {
    const problems = await refusal((admin) => admin.setEndpoint(SCOPE, anything(endpoint)));
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toMatch(/hunter2|my-very-own|whsec_short/);
  });

  it('refuses an invalid mode', async () => {
    const problems = await refusal((admin) =>
      admin.setEndpoint(anything({ ...SCOPE, mode: 'sandbox' }), { url: null, secret: null }),
    );
    expect(problems).toEqual(['mode must be "test" or "live"; it is a string of 7 characters.']);
  });

  it.each<[string, (admin: Gate['admin']) => Promise<unknown>, RegExp]>([
    ['an invalid partner', (admin) => admin.createPartner(anything(undefined)), /^The partner must be an object/],
    [
      'a consumer without a name',
      (admin) => admin.removeConsumer(anything(undefined)),
      /^A consumer name must be 1 to 64/,
    ],
    [
      'a key of a partner that there is not',
      (admin) => admin.addKey('nobody', 'sk_test_0123456789abcdef01234567'),
      /^No partner has this partnerId/,
    ],
    ['an invalid scope', (admin) => admin.findEndpoint(anything('test')), /^The scope must be/],
  ])('refuses %s', async (_, call, problem) => {
    expect(await refusal(call)).toEqual([expect.stringMatching(problem)]);
  });

  it('refuses to encrypt an invalid secret', async () => {
    expect(await refusal((admin) => admin.sealSecret('secret'))).toEqual([
      expect.stringMatching(/^A webhook secret is/),
    ]);
  });
});

it('gate.on refuses an unknown event, an invalid name and a value that is not a function', () => {
  const gate = createGate(ports());
  expect(() => gate.on(anything<EventType>('gate_session.complete'), 'Grant Value', anything(null))).toThrow(
    GateArgumentError,
  );
  try {
    gate.on(anything<EventType>('gate_session.complete'), 'Grant Value', anything(null));
  } catch (error) {
    expect((error as GateArgumentError).problems).toEqual([
      expect.stringMatching(/^"gate_session\.complete" is not an event type; the types are gate_session\.created, /),
      'A consumer name must be 1 to 64 lower-case letters, digits and hyphens; it is a string of 11 characters.',
      'A consumer must be a function of the event; it is null.',
    ]);
  }
});
