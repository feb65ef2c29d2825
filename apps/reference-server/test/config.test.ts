import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig, type Config } from '../src/config/config.js';
import type { Environment } from '../src/config/environment.js';
import { sentinelUrl } from '../src/redis/sentinel-url.js';
import { StartError } from '../src/start-error.js';

const STRONG_KEY = 'q0X3ZkT8m1yB7vNf5cJr9LwHs2DgPa6UoEiKx4MtQzY=';
const OTHER_KEY = 'Jr9LwHs2DgPa6UoEiKx4MtQzYq0X3ZkT8m1yB7vNf5c=';

const REDIS_URL_PROBLEM =
  'REDIS_URL: must be a URL such as "redis://user:password@host:port/name", or "redis+sentinel://:password@host:port,host:port/primary" for Sentinel.';

const read = (environment: Environment, isTerminal = false): Config => readConfig(environment, { isTerminal });

function problemsOf(environment: Environment): readonly string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
  return [];
}

describe('configuration', () => {
  it('sends traces if a collector is named and the SDK is not disabled', () => {
    const collector = 'http://collector:4318';
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: collector }).traces).toBe(true);
    expect(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector}/v1/traces` }).traces).toBe(true);
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_SDK_DISABLED: 'true' }).traces).toBe(false);
    expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT: must be a URL/),
    ]);
  });

  it('needs nothing set', () => {
    expect(read({})).toEqual({
      host: '127.0.0.1',
      hostNames: [],
      ports: {
        sandbox: 4242,
        live: 4243,
        sandboxWidget: 4244,
        widget: 4245,
        pools: 4246,
        demo: 4240,
        ops: 4247,
        console: 4248,
      },
      http: 'fastify',
      role: 'all',
      database: null,
      dataDir: null,
      stateFile: null,
      redisUrl: null,
      masterKey: null,
      oldMasterKeys: [],
      seed: null,
      rateLimits: 1,
      requestTimeoutMs: 10_000,
      publicUrl: null,
      publicUrls: {},
      consoleUrl: null,
      oidc: null,
      drainDelayMs: 0,
      keepAliveMs: 72_000,
      legs: null,
      demo: true,
      trustedProxies: null,
      liveSandbox: true,
      testClock: true,
      testClockScope: 'partner',
      traces: false,
      allowPrivateWebhooks: true,
      webhookProxy: null,
      log: 'json',
      logLevel: 'info',
      warnings: [],
    });
  });

  it.each([
    ['GATE_HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['GATE_HOST_NAMES', 'api, Gate.internal', { hostNames: ['api', 'gate.internal'] }],
    ['GATE_HTTP', 'express', { http: 'express' }],
    ['GATE_ROLE', 'all', { role: 'all' }],
    ['GATE_RATE_LIMITS', 'off', { rateLimits: null }],
    ['GATE_PUBLIC_URL', 'https://api.example.com', { publicUrl: 'https://api.example.com' }],
    ['GATE_DRAIN_DELAY_MS', '5000', { drainDelayMs: 5_000 }],
    ['GATE_KEEP_ALIVE_MS', '61000', { keepAliveMs: 61_000 }],
    ['GATE_DEMO', 'off', { demo: false }],
    ['GATE_REQUEST_TIMEOUT_MS', '2500', { requestTimeoutMs: 2_500 }],
    ['GATE_RATE_LIMITS', 'on', { rateLimits: 1 }],
    ['GATE_RATE_LIMITS', '20', { rateLimits: 20 }],
    ['GATE_TEST_CLOCK', 'off', { testClock: false }],
    ['GATE_TEST_CLOCK_SCOPE', 'mode', { testClockScope: 'mode' }],
    ['GATE_ALLOW_PRIVATE_WEBHOOKS', 'false', { allowPrivateWebhooks: false }],
    ['GATE_LIVE_SANDBOX', 'off', { liveSandbox: false }],
    ['GATE_LOG', 'silent', { log: 'silent' }],
    ['GATE_LOG_LEVEL', 'warn', { logLevel: 'warn' }],
    ['GATE_WIDGET_URL', 'https://pay.example/', { publicUrls: { widget: 'https://pay.example' } }],
    ['GATE_LIVE_URL', 'https://api.example/live', { publicUrls: { live: 'https://api.example/live' } }],
    ['GATE_WEBHOOK_PROXY', 'http://u:p@proxy:3128', { webhookProxy: 'http://u:p@proxy:3128' }],
    ['GATE_LOG', 'pretty', { log: 'pretty' }],
    ['GATE_TRUSTED_PROXIES', 'loopback, 10.0.0.0/8,::1', { trustedProxies: 'loopback, 10.0.0.0/8,::1' }],
    ['GATE_MASTER_KEY', STRONG_KEY, { masterKey: new Uint8Array(Buffer.from(STRONG_KEY, 'base64')) }],
  ] as const)('%s=%s is taken', (name, value, expected) => {
    expect(read({ [name]: value })).toMatchObject(expected);
  });

  it.each([
    ['GATE_SANDBOX_PORT', 'sandbox'],
    ['GATE_LIVE_PORT', 'live'],
    ['GATE_SANDBOX_WIDGET_PORT', 'sandboxWidget'],
    ['GATE_WIDGET_PORT', 'widget'],
    ['GATE_POOLS_PORT', 'pools'],
    ['GATE_DEMO_PORT', 'demo'],
    ['GATE_OPS_PORT', 'ops'],
    ['GATE_CONSOLE_PORT', 'console'],
  ] as const)('%s moves its listener, and may be 0', (variable, listener) => {
    expect(read({ [variable]: '9000' }).ports[listener]).toBe(9000);
    expect(read({ [variable]: '0' }).ports[listener]).toBe(0);
  });

  it('writes a pretty log on a terminal and JSON elsewhere, by default', () => {
    expect(read({}, true).log).toBe('pretty');
    expect(read({ GATE_LOG: 'json' }, true).log).toBe('json');
  });

  it('takes former master keys together with a present one', () => {
    expect(
      read({ GATE_MASTER_KEY: STRONG_KEY, GATE_MASTER_KEYS_OLD: `${OTHER_KEY}, ${OTHER_KEY}` }).oldMasterKeys,
    ).toHaveLength(2);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(read({ GATE_LIVE_PORT: '', DATABASE_URL: '', GATE_MASTER_KEY: '' }).ports.live).toBe(4243);
  });

  it.each([
    ['GATE_SANDBOX_PORT', '70000', 'GATE_SANDBOX_PORT: must be a whole number from 0 to 65535, not "70000".'],
    ['GATE_LIVE_PORT', '12.5', 'GATE_LIVE_PORT: must be a whole number from 0 to 65535, not "12.5".'],
    ['GATE_HOST', 'http://x', 'GATE_HOST: must be an address or a host name to bind to, without scheme or port.'],
    ['GATE_HTTP', 'koa', 'GATE_HTTP: must be fastify or express, not "koa".'],
    ['GATE_ROLE', 'boss', 'GATE_ROLE: must be all, api or worker, not "boss".'],
    [
      'GATE_ROLE',
      'worker',
      'GATE_ROLE: a worker needs a store shared with other processes; set DATABASE_URL, or use "all".',
    ],
    ['GATE_DATABASE_CONNECTIONS', '0', 'GATE_DATABASE_CONNECTIONS: must be a whole number from 1 to 500, not "0".'],
    [
      'GATE_TRUSTED_PROXIES',
      '10.0.0.0/40',
      'GATE_TRUSTED_PROXIES: must be addresses or networks ("10.0.0.0/8"), or any of loopback, linklocal, uniquelocal, comma-separated.',
    ],
    ['GATE_RATE_LIMITS', 'maybe', 'GATE_RATE_LIMITS: must be on, off or a factor above 0 such as 20, not "maybe".'],
    ['GATE_LOG', 'xml', 'GATE_LOG: must be pretty, json or silent, not "xml".'],
    ['GATE_LOG_LEVEL', 'all', 'GATE_LOG_LEVEL: must be debug, info, warn or error, not "all".'],
    [
      'GATE_WEBHOOK_PROXY',
      'socks5://u:p@proxy',
      'GATE_WEBHOOK_PROXY: must be the address of an HTTP proxy such as http://proxy.internal:3128, without path and query.',
    ],
    [
      'DATABASE_URL',
      'postgres://u:secret@h/d',
      'GATE_MASTER_KEY: is required with DATABASE_URL; it encrypts secrets in the database. Generate one with "openssl rand -base64 32" and keep it.',
    ],
    ['REDIS_URL', 'localhost:6379', REDIS_URL_PROBLEM],
    ['REDIS_URL', 'redis+sentinel://a:26379,b:26379', REDIS_URL_PROBLEM],
    ['REDIS_URL', 'redis+sentinel://a:port/gate', REDIS_URL_PROBLEM],
    ['REDIS_URL', 'redis+sentinel://:100%@a/gate', REDIS_URL_PROBLEM],
    [
      'GATE_OIDC_CLIENT_ID',
      'console',
      'GATE_OIDC_ISSUER: is not set, but other settings of single sign-on are. Set it to the address of your provider.',
    ],
    [
      'GATE_OIDC_SCOPES',
      'email',
      'GATE_OIDC_SCOPES: must be scopes separated by spaces, of which the first is openid.',
    ],
    ['GATE_DEMO_PORT', '4242', 'GATE_DEMO_PORT: port 4242 is already used by GATE_SANDBOX_PORT.'],
    ['GATE_SEED_FILE', '/nowhere/seed.json', 'GATE_SEED_FILE: cannot read "/nowhere/seed.json" (ENOENT).'],
    [
      'GATE_MASTER_KEYS_OLD',
      STRONG_KEY,
      'GATE_MASTER_KEYS_OLD: is set without GATE_MASTER_KEY; old keys are only used to decrypt.',
    ],
  ])('%s=%s is refused in plain words', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([problem]);
  });

  it('reads the Sentinels of a REDIS_URL, with the default port where none is given', () => {
    const url = 'rediss+sentinel://gate:p%40ss@a,10.0.0.7:26380,[::1]:80/main.db/3?sentinel_password=s';
    expect(sentinelUrl(url)).toMatchObject({
      isTls: true,
      username: 'gate',
      password: 'p@ss',
      hosts: [
        { host: 'a', port: 26_379 },
        { host: '10.0.0.7', port: 26_380 },
        { host: '::1', port: 80 },
      ],
      name: 'main.db',
      database: 3,
    });
    expect(read({ REDIS_URL: url }).redisUrl).toBe(url);
  });

  it('has single sign-on with a provider, a client and an origin to come back to', () => {
    const issuer = 'https://id.example.com/realms/staff';
    const client = { GATE_OIDC_ISSUER: issuer, GATE_OIDC_CLIENT_ID: 'console' };
    expect(read({ ...client, GATE_OIDC_CLIENT_SECRET: 'hunter2' }).oidc).toEqual({
      issuer,
      clientId: 'console',
      clientSecret: 'hunter2',
      rolesClaim: 'gateramp_roles',
      partnersClaim: null,
      scopes: 'openid email profile',
    });
    expect(read(client).oidc).toMatchObject({ clientSecret: null });
    expect(problemsOf({ ...client, GATE_OIDC_ISSUER: 'http://id.example.com' })).toEqual([
      'GATE_OIDC_ISSUER: must be the https address of a provider such as https://id.example.com, or http on a loopback address.',
    ]);
    expect(problemsOf({ GATE_OIDC_ISSUER: issuer, GATE_HOST: '0.0.0.0' })).toEqual([
      'GATE_OIDC_CLIENT_ID: is required with GATE_OIDC_ISSUER; your provider shows it where the console is registered.',
      'GATE_CONSOLE_URL: is required with GATE_OIDC_ISSUER; the provider redirects users to it.',
    ]);
  });

  it('refuses a weak master key without quoting it', () => {
    const weak = Buffer.alloc(32, 7).toString('base64');
    const problems = problemsOf({ GATE_MASTER_KEY: weak, GATE_MASTER_KEYS_OLD: `${STRONG_KEY},hunter2` });
    expect(problems).toEqual([
      'GATE_MASTER_KEY: All of its bytes are the same. Generate one with "openssl rand -base64 32".',
      'GATE_MASTER_KEYS_OLD: key 2: It must be 32 bytes in base64. Generate one with "openssl rand -base64 32".',
    ]);
    expect(problems.join()).not.toContain(weak);
  });

  it('with the demo partner in a data directory has the test clock and private webhooks', () => {
    const kept = { GATE_DATA_DIR: '/data', GATE_DEMO: 'on' };
    expect(read(kept)).toMatchObject({ testClock: true, allowPrivateWebhooks: true });
    for (const without of [{ GATE_DEMO: 'off' }, { GATE_HOST: '0.0.0.0' }])
      expect(read({ ...kept, ...without })).toMatchObject({ testClock: false, allowPrivateWebhooks: false });
  });

  describe('with DATABASE_URL', () => {
    const durable = { DATABASE_URL: 'postgres://u:secret@h/d', GATE_MASTER_KEY: STRONG_KEY };

    it('keeps its data there, and has neither test clock nor private webhooks by default', () => {
      expect(read(durable)).toMatchObject({
        database: { url: durable.DATABASE_URL, connectionsMax: 10, isBehindProxy: false, isDistributed: false },
        testClock: false,
        allowPrivateWebhooks: false,
        demo: false,
      });
      expect(read({ ...durable, GATE_DEMO: 'on' }).demo).toBe(true);
      expect(read({ ...durable, GATE_TEST_CLOCK: 'on', GATE_ALLOW_PRIVATE_WEBHOOKS: 'on' })).toMatchObject({
        testClock: true,
        allowPrivateWebhooks: true,
      });
      expect([read(durable).liveSandbox, read({ ...durable, GATE_LIVE_SANDBOX: 'on' }).liveSandbox]).toEqual([
        false,
        true,
      ]);
      expect(read({ ...durable, REDIS_URL: 'rediss://r:6380/1', GATE_ROLE: 'worker' })).toMatchObject({
        redisUrl: 'rediss://r:6380/1',
        role: 'worker',
      });
    });

    it.each(['api', 'worker'])(
      'allows the clocks of sandboxes with GATE_ROLE=%s, but not one clock for all',
      (role) => {
        const shared = { ...durable, GATE_ROLE: role, GATE_TEST_CLOCK: 'on' };
        expect(read(shared)).toMatchObject({ role, testClock: true, testClockScope: 'partner' });
        const refused = (setting: string): string =>
          `GATE_TEST_CLOCK: with ${setting} the test clock works in a single process only; turn it off, or use GATE_ROLE=all instead of "${role}".`;
        expect(problemsOf({ ...shared, GATE_TEST_CLOCK_SCOPE: 'mode' })).toEqual([
          refused('GATE_TEST_CLOCK_SCOPE=mode'),
        ]);
        expect(problemsOf({ ...shared, GATE_DATABASE_DISTRIBUTED: 'on' })).toEqual([
          refused('GATE_DATABASE_DISTRIBUTED=on'),
        ]);
        expect(read({ ...shared, GATE_ROLE: 'all', GATE_DATABASE_DISTRIBUTED: 'on' }).testClock).toBe(true);
      },
    );

    it('quotes no URL back, since it may hold a password', () => {
      const problems = problemsOf({ ...durable, DATABASE_URL: 'mysql://u:hunter2@h/d' });
      expect(problems).toEqual([expect.stringMatching(/^DATABASE_URL: must be a URL such as "postgres:/)]);
      expect(problems.join()).not.toContain('hunter2');
    });
  });

  it('warns of a GATE_ variable it does not know, and of no other', () => {
    expect(read({ GATE_RATE_LIMIT: 'off', PATH: '/bin' }).warnings).toEqual([
      'GATE_RATE_LIMIT is not a setting of this server and has no effect; check its spelling.',
    ]);
  });

  it('says that nothing is delivered with GATE_ROLE=api on embedded adapters', () => {
    expect(read({ GATE_ROLE: 'api' }).warnings.join()).toContain('no webhooks are delivered');
  });

  describe('with a seed file', () => {
    let folder = '';
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'gateramp-seed-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('lists every problem at once, those of the seed file included', () => {
      const path = join(folder, 'seed.json');
      writeFileSync(path, JSON.stringify({ partners: [{ id: 'acme', name: '', allowed_origins: ['shop.example'] }] }));
      const problems = problemsOf({
        GATE_SEED_FILE: path,
        GATE_LIVE_PORT: 'x',
        GATE_OPS_PORT: '4240',
        GATE_TEST_CLOCK: '?',
        REDIS_URL: 'r',
      });
      expect(problems.map((problem) => problem.split(':')[0])).toEqual([
        'GATE_LIVE_PORT',
        'REDIS_URL',
        'GATE_TEST_CLOCK',
        'GATE_OPS_PORT',
        'GATE_SEED_FILE',
        'GATE_SEED_FILE',
      ]);
    });
  });
});
