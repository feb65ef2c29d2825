import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { banner } from '../src/banner.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { liveProviderOf } from '../src/live-provider.js';
import { runServer, type RunningServer } from './running-server.js';

const TRIES = 5;

/** Pastes printed lines into a shell, like a user who has just started the server. */
async function answersOf(lines: string) {
  const { stdout } = await promisify(execFile)('sh', ['-c', lines]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the banner', () => {
  let server: RunningServer;
  let shown = '';
  beforeAll(async () => {
    server = runServer({ GATE_LOG: 'pretty' });
    await server.printed(/\/balance .*\n/);
    shown = server.stdout();
  });
  afterAll(() => server.process.kill('SIGKILL'));

  it('shows every URL and both demo keys', () => {
    expect(shown.match(/^ {2}.*http:\/\/127\.0\.0\.1:\d+/gm)).toHaveLength(8);
    expect(shown).toContain(DEMO_KEYS.secret);
    expect(shown).toContain(DEMO_KEYS.publishable);
  });

  it('names the shop first, and what to do there', () => {
    const [shop = ''] = /http:\S+/.exec(shown) ?? [];
    expect(shown.match(/^ {2}.*http:.*/m)?.[0]).toMatch(/^ {2}Demo shop /);
    expect(shown).toContain(`Open ${shop} in a browser and buy with test card 4242 4242 4242 4242.`);
  });

  it('prints lines that work as they are: create, open, pay, see the webhooks, trade in a pool', async () => {
    const [purchase = '', others = ''] = shown.slice(shown.indexOf('# 1.')).split('\n\n# Or');
    let answers = await answersOf(purchase);
    // The last line sleeps as long as settlement usually takes. On a machine that pauses, it may need more than one try.
    for (let tries = 1; tries < TRIES && answers[3].data[0]?.type !== 'gate_session.completed'; tries += 1)
      answers = await answersOf(purchase);
    const [session, bootstrap, intent, hooks] = answers;
    expect(session).toMatchObject({ object: 'gate_session', status: 'open' });
    expect(bootstrap).toMatchObject({ object: 'embed_bootstrap', available: true, session: { id: session.id } });
    expect(intent).toMatchObject({ object: 'gate_intent', session_id: session.id, status: 'processing' });
    expect(hooks.data[0]).toMatchObject({ type: 'gate_session.completed', session_id: session.id, verified: true });

    const [simulated, quote, trade, balance] = await answersOf(`# Or${others}`);
    expect(simulated).toMatchObject({ object: 'gate_intent', status: 'succeeded' });
    expect(simulated.session_id).not.toBe(session.id);
    expect(trade).toMatchObject({
      quoteId: quote.quoteId,
      status: 'processing',
      amountIn: '100.00',
      amountOut: '108.152173',
    });
    expect(balance.balances).toMatchObject([{ currency: 'USDC' }, { currency: 'EUR', available: '9900' }]);
  });
});

const SEEDED = { hasDemoPartner: false, liveProvider: 'none', operatorLink: null } as const;

it.each([
  [{ legs: { modes: ['live'] as const }, liveSandbox: true }, 'Live mode runs on the provider legs of GATE_LEGS_FILE.'],
  [{ legs: { modes: ['test'] as const }, liveSandbox: true }, 'Live mode runs on the sandbox provider'],
  [{ legs: null, liveSandbox: false }, 'Live mode is unavailable because it has no provider'],
])('the banner names the provider of live mode for %j', (config, notice) => {
  const liveProvider = liveProviderOf(config);
  expect(banner({ ...SEEDED, origins: {}, keptIn: null, hasCommand: false, liveProvider })).toContain(notice);
});

it.each([
  ['memory', null, false, 'Partners come from GATE_SEED_FILE.'],
  ['Postgres', 'Postgres', true, 'Partners come from GATE_SEED_FILE and "gate partners create".'],
])(
  'the banner of a seeded server in %s names what its partners come from, and no demo shop',
  (_, keptIn, hasCommand, from) => {
    const at = 'http://127.0.0.1:4242';
    const shown = banner({ ...SEEDED, origins: { sandbox: at, demo: at }, keptIn, hasCommand });
    expect(shown.split('\n')).toContain(`  ${from}`);
    expect(shown).not.toContain('Demo shop');
  },
);
