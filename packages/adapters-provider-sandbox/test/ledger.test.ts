import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  memorySandboxLedger,
  SANDBOX_CARDS,
  sandboxProvider,
  type SandboxLedger,
  type SandboxProvider,
} from '../src/index.js';
import { at, card, KYC, NOW, OFF_RAMP, start, startWithCard, SWAP } from './builders.js';

/** Gives other calls a turn before every read, so that calls really interleave. */
function slowly(ledger: SandboxLedger): SandboxLedger {
  return {
    async read(operationId) {
      await Promise.resolve();
      return ledger.read(operationId);
    },
    async write(operation, expectedVersion) {
      await Promise.resolve();
      return ledger.write(operation, expectedVersion);
    },
  };
}

const orders = fc.constantFrom(
  start(),
  start({ paymentMethod: 'bank_transfer' }),
  startWithCard(SANDBOX_CARDS.needsAuthentication, { amount: '14.50' }),
  startWithCard(SANDBOX_CARDS.chargedBack),
  startWithCard(SANDBOX_CARDS.declines),
  start(OFF_RAMP),
  start(SWAP),
);

type Move = (provider: SandboxProvider, now: number, order: ReturnType<typeof start>) => Promise<unknown>;

const moves: Record<string, Move> = {
  start: (provider, now, order) => provider.start({ ...order, now }),
  cancel: (provider, now) => provider.cancel({ ...at(0), now }),
  kyc: (provider, now, { intent }) =>
    provider.confirm({ ...at(0), now, intent, confirmation: { action: 'kyc', kyc: KYC } }),
  code: (provider, now, { intent }) =>
    provider.confirm({ ...at(0), now, intent, confirmation: { action: 'payment_authentication', code: '000000' } }),
  deposit: (provider, now, { intent }) =>
    provider.confirm({ ...at(0), now, intent, confirmation: { action: 'crypto_deposit' } }),
  park: (provider, now) => provider.control.plan('op_1', 'park', now),
  error: (provider, now) => provider.control.plan('op_1', 'settlement_error', now),
  succeed: (provider, now) => provider.control.plan('op_1', 'succeed', now),
  settle: (provider, now) => provider.control.settle('op_1', 'succeeded', now),
  fail: (provider, now) => provider.control.settle('op_1', 'failed', now),
};
const SETTLED = new Set(['succeeded', 'refunded', 'charged_back']);

describe('effects', () => {
  test.prop([
    orders,
    fc.array(
      fc.tuple(
        fc.array(fc.constantFrom(...Object.keys(moves)), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: 40_000 }),
      ),
      { maxLength: 8 },
    ),
  ])(
    'stand in the books at most once, are never undone, and nothing settled is undone, whatever is called, repeated or raced',
    async (order, rounds) => {
      const ledger = memorySandboxLedger();
      const provider = sandboxProvider({ ledger: slowly(ledger) });
      let now = NOW;
      let happened: readonly unknown[] = [];
      let settled = false;
      for (const [names, pause] of rounds) {
        await Promise.allSettled(names.map(async (name) => moves[name]?.(provider, now, order)));
        const effects = await ledger.effects('op_1', now);
        expect(new Set(effects.map(({ kind }) => kind)).size).toBe(effects.length);
        expect(effects.slice(0, happened.length)).toEqual(happened);
        const kind = (await provider.lookup({ ...at(0), now }))?.outcome.kind ?? '';
        if (settled) expect(SETTLED).toContain(kind);
        settled = SETTLED.has(kind);
        now += pause;
        happened = await ledger.effects('op_1', now);
        if (SETTLED.has((await provider.lookup({ ...at(0), now }))?.outcome.kind ?? '')) settled = true;
      }
    },
  );

  it('are one charge and one delivery for twenty starts at once', async () => {
    const ledger = memorySandboxLedger();
    const provider = sandboxProvider({ ledger: slowly(ledger) });
    await Promise.all(Array.from({ length: 20 }, () => provider.start(start())));
    expect(await ledger.effects('op_1', NOW + 4_999)).toEqual([
      { kind: 'charge', amount: '100.00', currency: 'EUR', at: NOW },
    ]);
    expect(await ledger.effects('op_1', NOW + 5_000)).toEqual([
      { kind: 'charge', amount: '100.00', currency: 'EUR', at: NOW },
      { kind: 'delivery', amount: '107.554347', currency: 'USDC', at: NOW + 5_000 },
    ]);
  });

  it.each([
    ['chargeback', startWithCard(SANDBOX_CARDS.chargedBack), ['charge', 'delivery', 'chargeback']],
    ['refund', startWithCard(SANDBOX_CARDS.refunded), ['charge', 'delivery', 'refund']],
    ['nothing for a declined card', startWithCard(SANDBOX_CARDS.declines), []],
  ])('show a %s', async (_name, order, kinds) => {
    const ledger = memorySandboxLedger();
    await sandboxProvider({ ledger }).start(order);
    expect((await ledger.effects('op_1', NOW + 65_000)).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('give back what was taken when the settlement fails', async () => {
    const ledger = memorySandboxLedger();
    const provider = sandboxProvider({ ledger });
    await provider.start(start());
    await provider.control.settle('op_1', 'failed', NOW + 1_000);
    expect((await ledger.effects('op_1', NOW + 60_000)).map(({ kind }) => kind)).toEqual(['charge', 'refund']);
  });
});

describe('the ledger', () => {
  interface Secrets {
    readonly cvc: string;
    readonly code: string;
    readonly account: string;
    readonly person: string;
    /** Of an adult, since the sandbox rejects others. */
    readonly born: string;
  }
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[1-9][0-9]{${length - 2}}[2-9]$`));
  const secrets: fc.Arbitrary<Secrets> = fc.record({
    cvc: digits(4),
    code: digits(6),
    account: digits(18),
    person: fc.uuid(),
    born: fc.integer({ min: 1930, max: 1990 }).map((year) => `${year}-02-03`),
  });
  const cards = fc.constantFrom(...Object.values(SANDBOX_CARDS), '5555555555554444');
  const amounts = fc.constantFrom('14.50', '100.00');

  test.prop([cards, amounts, secrets, secrets])(
    'holds nothing of card, code, account or identity',
    async (cardNumber, amount, one, other) => {
      const books = await booksOf(cardNumber, amount, one);
      expect(books).not.toContain(cardNumber);
      // The ledger of another buyer with the same behavior: it must be equal, so it contains nothing of either buyer.
      expect(await booksOf(cardNumber, amount, other)).toBe(books);
    },
  );

  /** Everything that is written about an on-ramp by card and off-ramps to both kinds of account, with every action answered. */
  async function booksOf(
    cardNumber: string,
    amount: string,
    { cvc, code, account, person, born }: Secrets,
  ): Promise<string> {
    const ledger = memorySandboxLedger();
    const texts: string[] = [];
    const watched: SandboxLedger = {
      read: ledger.read,
      async write(operation, expectedVersion) {
        texts.push(JSON.stringify(operation));
        return ledger.write(operation, expectedVersion);
      },
    };
    const provider = sandboxProvider({ ledger: watched });
    const kyc = { firstName: person, lastName: person, dateOfBirth: born, documentNumber: person };
    const on = start({ operationId: 'on', amount }, { paymentDetails: { ...card(cardNumber), cvc } });
    const off = start(
      { ...OFF_RAMP, operationId: 'off', amount },
      { payoutDetails: { type: 'iban', iban: `DE44${account}`, accountHolder: person } },
    );
    const ach = start(
      { ...OFF_RAMP, currency: 'USD', operationId: 'ach', amount },
      {
        payoutDetails: {
          type: 'ach',
          routingNumber: '021000021',
          accountNumber: account.slice(1),
          accountHolder: person,
        },
      },
    );
    for (const order of [on, off, ach]) {
      const step = { operationId: order.operationId, mode: order.mode, now: NOW, intent: order.intent };
      await provider.start(order);
      await provider.confirm({ ...step, confirmation: { action: 'kyc', kyc } });
      await provider.confirm({ ...step, confirmation: { action: 'payment_authentication', code } });
      await provider.confirm({ ...step, confirmation: { action: 'crypto_deposit' } });
    }
    expect(texts.length).toBeGreaterThan(2);
    return texts.join('\n');
  }

  it('writes by compare-and-set and hands out copies', async () => {
    const ledger = memorySandboxLedger();
    await sandboxProvider({ ledger }).start(start());
    const row = await ledger.read('op_1');
    if (row === null) throw new Error('The operation is missing.');
    expect(await ledger.write(row, null)).toBe(false);
    expect(await ledger.write(row, row.version + 1)).toBe(false);
    expect(await ledger.write({ ...row, version: row.version + 1 }, row.version)).toBe(true);
    expect(await ledger.write({ ...row, version: row.version + 1 }, row.version)).toBe(false);
    expect(await ledger.read('op_1')).not.toBe(await ledger.read('op_1'));
  });

  it('throws, with the result unknown, when it never lets a write through', async () => {
    const stuck: SandboxLedger = { read: async () => null, write: async () => false };
    await expect(sandboxProvider({ ledger: stuck }).start(start())).rejects.toThrow('too busy');
  });
});
