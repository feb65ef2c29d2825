import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startReferenceServer, type ReferenceServer } from '../../services/reference-server.js';
import { stopwatch } from '../../services/stopwatch.js';
import { advance, enabledFlows, openSession, previewPrice, until, useLocalChain, withLegs } from '../checkout.js';

const chain = useLocalChain();

const RECOVERS_WITHIN_MS = 30_000;

test('while the price source is away, stale or too long nothing is sold, and with its next price everything is, within 30 s', async () => {
  const source = await priceSource();
  const server = await startReferenceServer({ settings: legsWithPrices(source.url) });
  await everythingIsSold(server);
  for (const trouble of ['away', 'stale', 'too long'] as const) {
    source.state = trouble;
    await until(async () => ((await enabledFlows(server)).length === 0 ? true : null));
    await expect(previewPrice(server)).rejects.toThrow('"service_unavailable"');
    const { bootstrap } = await openSession(server);
    expect(bootstrap).toMatchObject({ available: false, unavailable_reason: 'maintenance' });
    source.state = 'fresh';
    const elapsed = stopwatch();
    await until(async () => ((await enabledFlows(server)).length > 0 ? true : null));
    expect(elapsed()).toBeLessThan(RECOVERS_WITHIN_MS);
    await previewPrice(server);
  }
});

test('a currency alone without a price is in maintenance, and the others are sold', async () => {
  const source = await priceSource();
  source.state = 'no dollars';
  const server = await startReferenceServer({ settings: legsWithPrices(source.url) });
  await until(async () => ((await enabledFlows(server)).length > 0 ? true : null));
  expect((await openSession(server)).bootstrap).toMatchObject({ available: true });
  const inDollars = await openSession(server, 'USD');
  expect(inDollars.bootstrap).toMatchObject({ available: false, unavailable_reason: 'maintenance' });
});

test('a price stays fresh when the clock of test mode is advanced', async () => {
  const source = await priceSource();
  const server = await startReferenceServer({ settings: legsWithPrices(source.url) });
  await advance(server, 7_200);
  await everythingIsSold(server);
  await previewPrice(server);
});

/** The source is given up on after two seconds, which a busy machine may need, and asked again after five. */
const everythingIsSold = (server: ReferenceServer) =>
  until(async () => ((await enabledFlows(server)).join() === 'on_ramp,off_ramp' ? true : null));

/** Longer than the limit of a response. */
const TOO_LONG = 100_000;

const legsWithPrices = (url: string) =>
  withLegs(chain, (file) => {
    const legs = JSON.parse(file) as { readonly exchange: object };
    const exchange = { ...legs.exchange, prices: { url, max_age_seconds: 60, pairs: ['USDC/EUR', 'USDC/USD'] } };
    return JSON.stringify({ ...legs, exchange });
  });

/** An HTTP price source whose state tests set. */
async function priceSource() {
  const source = { state: 'fresh' as 'fresh' | 'stale' | 'away' | 'too long' | 'no dollars', url: '' };
  const server = createServer((_, response) => {
    if (source.state === 'away') return void response.writeHead(500).end();
    const at = new Date(Date.now() - (source.state === 'stale' ? 120_000 : 0)).toISOString();
    const prices = { 'USDC/EUR': '0.92', ...(source.state === 'no dollars' ? {} : { 'USDC/USD': '1.00' }) };
    const answer = JSON.stringify(
      Object.fromEntries(Object.entries(prices).map(([pair, price]) => [pair, { price, at }])),
    );
    response.end(source.state === 'too long' ? answer.padEnd(TOO_LONG) : answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as { readonly port: number };
  source.url = `http://127.0.0.1:${port}/prices`;
  return source;
}
