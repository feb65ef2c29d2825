import { memoryStore } from '@gateramp/adapters-store-memory';
import type { Store } from '@gateramp/core/ports';
import { GateArgumentError } from '@gateramp/core';
import { createTestGate, stillScheduler, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

const WALLET = '0x00000000000000000000000000000000000000aa';
const SESSION = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const ASK = { currency: 'EUR', asset: 'USDC', amount: '1.00', side: 'on_ramp', country_code: 'DE' } as const;

const codeOf = async (
  called: Promise<{ readonly isErr: () => boolean; readonly _unsafeUnwrapErr: () => { code: string } }>,
) => (await called)._unsafeUnwrapErr().code;

/** All calls that take an idempotency key. */
const keyed = (t: TestGate, options: { readonly idempotencyKey: string }) => {
  const { gate } = t;
  const test = { partnerId: t.partner.id, mode: 'test' } as const;
  const live = { partnerId: t.partner.id, mode: 'live' } as const;
  const { asset, amount, currency, side } = ASK;
  const poolQuote = { asset, amount, currency, side, network: 'base', destAddress: WALLET };
  return {
    'sessions.create': () => gate.sessions.create(test, SESSION, options),
    'quotes.create': () => gate.quotes.create(test, { ...ASK, payment_method: 'bank_transfer' }, options),
    'rails.payIns.create': () => gate.rails.payIns.create(test, { quote_id: 'x', wallet_address: WALLET }, options),
    'branding.update': () => gate.branding.update(test, { theme: 'dark' }, options),
    'webhooks.test': () => gate.webhooks.test(test, options),
    'webhooks.deliveries.replay': () => gate.webhooks.deliveries.replay(test, 'x', options),
    'webhooks.deliveries.replayAll': () => gate.webhooks.deliveries.replayAll(test, {}, options),
    'webhooks.rotateSecret': () => gate.webhooks.rotateSecret(test, {}, options),
    'pools.quote': () => gate.pools.quote(live, 'x', poolQuote, options),
    'pools.transact': () => gate.pools.transact(live, 'x', { quoteId: 'x', destAddress: WALLET }, options),
  };
};

/** All calls of a resource and its nested resources. */
function callsOf(resource: object): readonly ((caller: unknown) => Promise<unknown>)[] {
  return Object.values(resource).flatMap((member: unknown) => {
    if (typeof member === 'object' && member !== null) return callsOf(member);
    // As plain JavaScript may call it.
    return typeof member === 'function' ? [member as (caller: unknown) => Promise<unknown>] : [];
  });
}

describe('an in-process call', () => {
  it('is refused immediately without a caller or with an invalid mode', async () => {
    const { gate, partner } = await createTestGate();
    const { sessions, transactions, branding, quotes, rails, capabilities, events, webhooks, pools } = gate;
    const calls = callsOf([sessions, transactions, branding, quotes, rails, capabilities, events, webhooks, pools]);
    expect(calls.length).toBeGreaterThan(30);
    const over = gate.over({ store: memoryStore(), scheduler: stillScheduler() });
    for (const call of [...calls, ...callsOf(over)]) {
      for (const caller of [undefined, 'test', { partnerId: partner.id }, { mode: 'test' }])
        await expect(call(caller)).rejects.toBeInstanceOf(GateArgumentError);
      await expect(call({ partnerId: partner.id, mode: 'sandbox' })).rejects.toThrow('mode must be "test" or "live"');
    }
  });

  it('is refused with idempotency_key_invalid for a key that HTTP would not accept', async () => {
    const t = await createTestGate();
    for (const idempotencyKey of ['', 'two words', 'é', 'k'.repeat(256)]) {
      const codes = Object.entries(keyed(t, { idempotencyKey })).map(async ([door, call]) => [
        door,
        await codeOf(call()),
      ]);
      for (const [door, code] of await Promise.all(codes))
        expect([door, code]).toEqual([door, 'idempotency_key_invalid']);
    }
  });

  it('is refused immediately for a key that is not text and for unknown options, which would make a repeat run twice', async () => {
    const t = await createTestGate();
    const wrong = [
      [{ idempotencyKey: 42 }, /idempotencyKey must be a string of .* it is the number 42/],
      [{ idempotencyKey: { key: 'a' } }, /idempotencyKey must be a string of .* it is an object/],
      [{ idempotency_key: 'a' }, /idempotency_key is not a field; the fields are idempotencyKey/],
      ['a-key', /The options must be \{ idempotencyKey \}; it is a string of 5 characters/],
    ] as const;
    for (const [options, problem] of wrong)
      // As plain JavaScript may call it.
      for (const [door, call] of Object.entries(keyed(t, options as never)))
        await expect(call(), door).rejects.toThrow(problem);
  });

  it('finds nothing by an id or key that is not text', async () => {
    const { gate, partner } = await createTestGate();
    const caller = { partnerId: partner.id, mode: 'test' } as const;
    for (const id of [42, {}, ['a'], null] as never[]) {
      expect(await codeOf(gate.sessions.retrieve(caller, id))).toBe('session_not_found');
      expect(await codeOf(gate.events.retrieve(caller, id))).toBe('event_not_found');
      expect(await gate.embed.allowedOrigins('test', id)).toBeNull();
    }
    await expect(gate.sessions.retrieve({ partnerId: { id: partner.id }, mode: 'test' } as never, 'a')).rejects.toThrow(
      'partnerId must be a string; it is an object',
    );
  });

  it('is refused with validation_failed for a body that is not an object', async () => {
    const t = await createTestGate();
    const caller = { partnerId: t.partner.id, mode: 'test' } as const;
    for (const text of ['null', '[]', '"text"', '1']) {
      // As plain JavaScript may call it.
      const body = JSON.parse(text) as never;
      expect([text, await codeOf(t.gate.sessions.create(caller, body))]).toEqual([text, 'validation_failed']);
      expect([text, await codeOf(t.gate.quotes.preview(caller, body))]).toEqual([text, 'validation_failed']);
    }
  });

  it('finds nothing by an id that no store accepts', async () => {
    const t = await createTestGate({ ports: { store: withoutNul() } });
    const test = { partnerId: t.partner.id, mode: 'test' } as const;
    const live = { partnerId: t.partner.id, mode: 'live' } as const;
    const { sessions, transactions, events, webhooks, pools } = t.gate;
    const id = 'a\u0000';
    const codes = [
      sessions.retrieve(test, id),
      sessions.cancel(test, id),
      sessions.timeline(test, id),
      transactions.retrieve(test, id),
      events.retrieve(test, id),
      webhooks.deliveries.retrieve(test, id),
      webhooks.deliveries.replay(test, id),
      pools.balance(live, id),
      pools.transact(live, id, { quoteId: 'x', destAddress: WALLET }),
      pools.trades(live, { cursor: id }),
    ].map(codeOf);
    expect(await Promise.all(codes)).toEqual([
      'session_not_found',
      'session_not_found',
      'session_not_found',
      'transaction_not_found',
      'event_not_found',
      'delivery_not_found',
      'delivery_not_found',
      'pool_not_found',
      'pool_not_found',
      'transaction_not_found',
    ]);
  });
});

/** Refuses to look up what Postgres refuses. */
function withoutNul(): Store {
  const store = memoryStore();
  return {
    ...store,
    find: (noun, ...key) => {
      if (JSON.stringify(key).includes('\\u0000')) throw new Error('invalid byte sequence for encoding "UTF8": 0x00');
      return store.find(noun, ...key);
    },
  };
}
