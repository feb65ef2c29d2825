import { describe, expect, it } from 'vitest';
import { SANDBOX_CAPABILITIES, sandboxProvider } from '../src/index.js';
import { quoteRequest } from './builders.js';

const { flows, paymentMethods, currencies, assets, networks, limits } = SANDBOX_CAPABILITIES;
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

  it('names every network that an asset is on', () => {
    expect(new Set(assets.flatMap((asset) => asset.networks))).toEqual(new Set(networks.map(({ code }) => code)));
  });
});
