import {
  memorySandboxLedger,
  SANDBOX_TEST_CALLBACK_SECRET,
  sandboxProvider,
  signSandboxCallback,
} from '@gateramp/adapters-provider-sandbox';
import { describeLaws, providerLaws, rows, type ProviderSubject } from '@gateramp/conformance';
import { decimal } from '@gateramp/core/domain';
import type { StartOrder } from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';

const SECRETS = { test: SANDBOX_TEST_CALLBACK_SECRET, live: 'live callback secret' };
const CARDS = { paid: '4242424242424242', declined: '4000000000000002', withCode: '4000000000003220' };

const subject: ProviderSubject = {
  async create() {
    const ledger = memorySandboxLedger();
    const create = () => sandboxProvider({ ledger, callbackSecret: SECRETS.live });
    const operations: string[] = [];
    let now = rows.T0;
    let events = 0;
    const order = (cardNumber: string): StartOrder => {
      const { intent } = rows.aPurchase(rows.aSession().session, rows.T0);
      operations.push(intent.operationId);
      return {
        operationId: intent.operationId,
        mode: 'test',
        now,
        intent,
        rails: null,
        kycPreVerified: true,
        paymentDetails: { cardNumber, expiry: '12/99', cvc: '123' },
        payoutDetails: null,
      };
    };
    const event = (operation_id: string) =>
      Buffer.from(JSON.stringify({ event_id: `evt_${(events += 1)}`, operation_id, outcome: 'succeeded' }));
    return {
      provider: create(),
      now: () => now,
      wait: async (ms) => void (now += ms),
      order: () => order(CARDS.paid),
      async money() {
        const effects = (await Promise.all(operations.map((id) => ledger.effects(id, now)))).flat();
        const sumOf = (kind: string) =>
          effects.filter((effect) => effect.kind === kind).reduce((sum, { amount }) => decimal.add(sum, amount), '0');
        return { taken: sumOf('charge'), returned: sumOf('refund') };
      },
      declined: () => order(CARDS.declined),
      actions: {
        order: () => order(CARDS.withCode),
        act: async () => ({ action: 'payment_authentication', code: '000000' }),
      },
      callbacks: {
        body: async (operationId) => event(operationId),
        foreign: async () => event('an operation of another system'),
        sign: async (rawBody, mode) => ({ 'x-sandbox-signature': signSandboxCallback(rawBody, SECRETS[mode], now) }),
      },
      another: async () => create(),
      close: async () => {},
    };
  },
  notProved: { outages: 'The sandbox runs in this process, and its ledger is in memory.' },
};

describeLaws(providerLaws, subject, { describe, it });

describe('a law that a subject cannot prove', () => {
  const outage = providerLaws.filter((law) => (law.unproved?.(subject) ?? null) !== null);

  it('says so in its title, with the reason', () => {
    const titles: string[] = [];
    const runner = { describe: (_: string, body: () => void) => body(), it: (title: string) => titles.push(title) };
    describeLaws(providerLaws, subject, runner);
    const notProved = titles.filter((title) => title.startsWith('NOT PROVED: '));
    expect(notProved).toHaveLength(outage.length);
    expect(
      notProved.every((title) => title.endsWith('(The sandbox runs in this process, and its ledger is in memory.)')),
    ).toBe(true);
  });

  it('fails if no reason is given', async () => {
    expect(outage.length).toBeGreaterThan(0);
    for (const law of outage) await expect(law.run({ create: subject.create })).rejects.toThrow(/^Provide .*outages/);
  });

  it('fails if the subject could prove it', async () => {
    const modest = { ...subject, notProved: { callbacks: 'We have not tried.' } };
    const laws = providerLaws.filter((law) => law.unproved?.(modest) === modest.notProved.callbacks);
    expect(laws.length).toBeGreaterThan(0);
    for (const law of laws) await expect(law.run(modest)).rejects.toThrow('The subject provides callbacks');
  });
});
