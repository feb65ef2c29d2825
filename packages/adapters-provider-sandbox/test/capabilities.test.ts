import { describe, expect, it } from 'vitest';
import { decimal } from '@gateramp/core/domain';
import { SANDBOX_CAPABILITIES, sandboxProvider } from '../src/index.js';
import { quoteRequest } from './builders.js';

const { flows, paymentMethods, currencies, assets, networks, limits, fees, quoteLifetime } = SANDBOX_CAPABILITIES;
const provider = sandboxProvider();

describe('what the sandbox says it serves', () => {
  it('is what it gives quotes for: every asset on every network of its, by the methods that are listed', async () => {
    for (const flow of flows) {
      for (const { code: token } of assets) {
        for (const network of assets.find(({ code }) => code === token)?.networks ?? []) {
          const side =
            flow === 'on_ramp'
              ? { targetToken: token, targetNetwork: network }
              : { sourceToken: token, sourceNetwork: network };
          const answer = await provider.quote(quoteRequest({ flow, ...side }));
          expect(answer).toMatchObject({ kind: 'quotes' });
          if (answer.kind === 'refused') continue;
          expect(answer.quotes.map(({ paymentMethod }) => paymentMethod)).toEqual(paymentMethods[flow]);
        }
      }
    }
  });

  it('has a limit for every flow, method and currency, and takes both of its ends', async () => {
    const pairs = flows.flatMap((flow) =>
      (paymentMethods[flow] ?? []).flatMap((method) => currencies.map(({ code }) => [flow, method, code])),
    );
    expect(limits.map(({ flow, paymentMethod, currency }) => [flow, paymentMethod, currency])).toEqual(pairs);
    for (const { flow, currency, minAmount, maxAmount } of limits) {
      for (const amount of [minAmount, maxAmount])
        expect(await provider.quote(quoteRequest({ flow, currency, amount }))).toMatchObject({ kind: 'quotes' });
    }
  });

  it('states the fees and the lifetime that quotes have, apart from the least service fee', async () => {
    for (const { flow, currency, paymentMethod, maxAmount: amount } of limits.filter(
      ({ flow }) => flow === 'on_ramp',
    )) {
      for (const { code: targetNetwork } of networks) {
        const request = quoteRequest({ flow, currency, paymentMethod, amount, targetNetwork });
        const answer = await provider.quote(request);
        if (answer.kind === 'refused') throw new Error(answer.message);
        const stated = (fees ?? [])
          .filter((fee) => fee.paymentMethod === paymentMethod && fee.currency === currency)
          .filter(({ network }) => network === null || network === targetNetwork)
          .map(({ type, bps, fixedAmount }) => {
            const share = decimal.multiply(amount, String(bps / 10_000));
            return { type, amount: decimal.toFixedDown(decimal.add(share, fixedAmount), 2), currency };
          });
        expect(answer.quotes.map((quote) => quote.fees)).toEqual([stated]);
        expect(answer.expiresAt).toBe(request.now + (quoteLifetime ?? 0));
      }
    }
  });

  it('names every network that an asset is on', () => {
    expect(new Set(assets.flatMap((asset) => asset.networks))).toEqual(new Set(networks.map(({ code }) => code)));
  });
});
