import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Gate } from '../src/index.js';

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
}

const document = JSON.parse(readFileSync(new URL('../../../spec/openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
/** Operations for browsers, providers and probes. */
const NOT_FOR_SERVERS = /^\/(?:v1\/embed\/|v1\/providers\/|health|openapi\.json|docs)/;

/** Method and path of each, and whether it takes an idempotency key. */
const operations = new Map(
  Object.entries(document.paths)
    .filter(([path]) => !NOT_FOR_SERVERS.test(path))
    .flatMap(([path, verbs]) => Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })))
    .map(({ path, verb, operation: { parameters = [] } }) => [
      `${verb.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'ID')}`,
      parameters.some(({ name }) => name === 'Idempotency-Key'),
    ]),
);

const ORDER = { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/' };
const ASK = { side: 'on_ramp', currency: 'EUR', asset: 'USDC', amount: '1.00', country_code: 'DE' };
const TRADE = { side: 'on_ramp', asset: 'USDC', network: 'base', amount: '1.00', currency: 'EUR', destAddress: 'a' };
const IBAN = { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' } as const;

/** Every method of every resource. */
const everyCall = (gate: Gate): readonly PromiseLike<unknown>[] => [
  gate.gateSessions.create(ORDER),
  gate.gateSessions.retrieve('ID'),
  gate.gateSessions.list(),
  gate.gateSessions.cancel('ID'),
  gate.gateSessions.timeline('ID'),
  gate.transactions.list(),
  gate.transactions.retrieve('ID'),
  gate.quotes.preview(ASK),
  gate.quotes.create({ ...ASK, payment_method: 'card' }),
  gate.quotes.retrieve('ID'),
  gate.capabilities.countries(),
  gate.capabilities.currencies(),
  gate.capabilities.assets(),
  gate.capabilities.networks(),
  gate.capabilities.paymentMethods(),
  gate.capabilities.flows(),
  gate.capabilities.limits(),
  gate.capabilities.ttls(),
  gate.rails.payIns.create({ quote_id: 'ID', wallet_address: 'a' }),
  gate.rails.payIns.retrieve('ID'),
  gate.rails.payIns.list(),
  gate.rails.payIns.cancel('ID'),
  gate.rails.payOuts.create({ quote_id: 'ID', beneficiary: IBAN, refund_address: 'a' }),
  gate.rails.payOuts.retrieve('ID'),
  gate.rails.payOuts.list(),
  gate.rails.payOuts.cancel('ID'),
  gate.branding.retrieve(),
  gate.branding.update({ theme: 'dark' }),
  gate.webhooks.test(),
  gate.webhooks.endpoint(),
  gate.webhooks.rotateSecret(),
  gate.webhooks.deliveries.list(),
  gate.webhooks.deliveries.retrieve('ID'),
  gate.webhooks.deliveries.replay('ID'),
  gate.webhooks.deliveries.replayAll(),
  gate.events.list(),
  gate.events.retrieve('ID'),
  gate.pools.list(),
  gate.pools.quote('ID', TRADE),
  gate.pools.transact('ID', { quoteId: 'ID', destAddress: 'a' }),
  gate.pools.balance('ID'),
  gate.pools.trades(),
  gate.testHelpers.clock(),
  gate.testHelpers.advanceClock(1),
  gate.testHelpers.simulate('ID', 'succeed'),
  gate.testHelpers.simulateRails('ID', 'succeed'),
];

describe('the operations of the API for servers', async () => {
  const asked: { readonly operation: string; readonly isKeyed: boolean }[] = [];
  const gate = new Gate('sk_test_a', {
    baseUrl: 'https://api.example',
    poolsBaseUrl: 'https://api.example',
    fetch: async (input, init) => {
      const { method, url, headers } = new Request(input, init);
      asked.push({ operation: `${method} ${new URL(url).pathname}`, isKeyed: headers.has('idempotency-key') });
      return Response.json({ data: [] });
    },
  });
  await Promise.all(everyCall(gate));

  it('each have a method, and each method asks for one of them', () => {
    expect(asked.map(({ operation }) => operation).sort()).toEqual([...operations.keys()].sort());
  });

  it.each(asked)('an idempotency key is sent where it is honoured, and nowhere else: $operation', (one) => {
    expect(one.isKeyed).toBe(operations.get(one.operation));
  });
});
