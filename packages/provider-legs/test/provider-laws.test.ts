import { describeLaws, providerLaws, rows, type ProviderSubject } from '@gateramp/conformance';
import { decimal } from '@gateramp/core/domain';
import type { StartOrder } from '@gateramp/core/ports';
import { FAKE_CARDS, FAKE_CODE, fakeChain, fakeFiat, memoryLegsStore, type FiatLeg } from '@gateramp/provider-legs';
import { describe, it } from 'vitest';
import { buy, fakeExchange, fakeScreening, providerOf, START } from './world.js';

type Failure = 'none' | 'lost_requests' | 'lost_answers';

const subject: ProviderSubject = {
  async create() {
    const store = memoryLegsStore();
    const processor = countedFiat(fakeFiat({ store }));
    const parts = {
      store,
      chain: fakeChain(),
      fiat: processor.fiat,
      exchange: fakeExchange(),
      screening: fakeScreening(),
    };
    const create = () => providerOf(parts, () => {});
    const provider = create();
    let now = START;
    const order = (card: string): StartOrder => {
      const operationId = rows.aUuid();
      return { ...buy(now, { operationId, partnerId: rows.ACME.partnerId }, card), operationId };
    };
    const fails = (failure: Failure) => async () => void (processor.failure = failure);
    return {
      provider,
      now: () => now,
      async wait(ms) {
        // Second by second: a step is due soon after the one before.
        for (const until = now + ms; now < until;) {
          now = Math.min(until, now + 1_000);
          await provider.work('test', now);
          await provider.work('live', now);
        }
      },
      order: () => order(FAKE_CARDS.succeeds),
      money: async () => processor.money(),
      declined: () => order(FAKE_CARDS.declines),
      actions: {
        order: () => order(FAKE_CARDS.needsAuthentication),
        act: async () => ({ action: 'payment_authentication', code: FAKE_CODE }),
      },
      outages: { loseRequests: fails('lost_requests'), loseAnswers: fails('lost_answers'), recover: fails('none') },
      another: async () => create(),
      close: async () => {},
    };
  },
  notProved: {
    callbacks: 'They are those of the fiat leg, which has laws of its own.',
    refusedConnections: 'A call is recorded before it is sent, so the worker repeats it instead.',
  },
};

/** Counts the money of captures and refunds that were carried out, each call id once. */
function countedFiat(inner: FiatLeg) {
  const captured = new Map<string, string>();
  const refunded = new Map<string, string>();
  const authorized = new Map<string, string>();
  const counted = {
    failure: 'none' as Failure,
    fiat: inner,
    money: () => ({ taken: total(captured), returned: total(refunded) }),
  };
  const send = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const { failure } = counted;
    if (failure === 'lost_requests') throw new Error('timeout');
    const result = await call();
    if (failure === 'lost_answers') throw new Error('timeout');
    return result;
  };
  counted.fiat = {
    ...inner,
    authorize: (order) => send(async () => (authorized.set(order.callId, order.amount), inner.authorize(order))),
    confirm: (order) => send(() => inner.confirm(order)),
    lookupAuthorization: (order) => send(() => inner.lookupAuthorization(order)),
    void: (order) => send(() => inner.void(order)),
    capture: (order) =>
      send(async () => {
        const result = await inner.capture(order);
        if (result.kind === 'captured')
          captured.set(order.authorizationId, authorized.get(order.authorizationId) ?? '0');
        return result;
      }),
    refund: (order) =>
      send(async () => {
        const result = await inner.refund(order);
        if (result.kind === 'refunded') refunded.set(order.callId, order.amount);
        return result;
      }),
  };
  return counted;
}

function total(amounts: ReadonlyMap<string, string>): string {
  return [...amounts.values()].reduce((sum, amount) => decimal.add(sum, amount), '0');
}

describeLaws(providerLaws, subject, { describe, it });
