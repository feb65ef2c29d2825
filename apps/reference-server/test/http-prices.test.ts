import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { describeLaws, exchangeLegLaws, type ExchangeLegOnTrial } from '@gateramp/conformance';
import { fixedSpread } from '@gateramp/provider-legs';
import { describe, it } from 'vitest';
import { httpPrices } from '../src/legs/http-prices.js';

const PAIR = { asset: 'USDC', currency: 'EUR' } as const;
const HOUR_MS = 3_600_000;
const WALL = Date.UTC(2027, 0, 1);

const TROUBLES: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'an error': (response) => response.writeHead(500).end('{}'),
  'a redirect': (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  'no JSON': (response) => response.end('<html>'),
  'too many bytes': (response) => response.end(JSON.stringify({ padding: 'x'.repeat(70_000) })),
  'a closed connection': (response) => response.destroy(),
  'a stale date': (response) => response.end(body('0.92', WALL - HOUR_MS)),
  'a number in place of text': (response) =>
    response.end(JSON.stringify({ 'USDC/EUR': { price: 0.92, at: new Date(WALL).toISOString() } })),
};

const body = (price: string, at: number) => JSON.stringify({ 'USDC/EUR': { price, at: new Date(at).toISOString() } });

async function create(): Promise<ExchangeLegOnTrial> {
  let price: string | null = '0.92';
  let trouble: string | null = null;
  const server = createServer((_, response) => {
    const troubled = trouble === null ? undefined : TROUBLES[trouble];
    if (troubled !== undefined) return troubled(response);
    response.end(price === null ? '{}' : body(price, WALL));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server on TCP has a port.');
  let passed = 0;
  // A minute passes with every change, so that no earlier answer is used.
  const source = httpPrices(`http://127.0.0.1:${address.port}`, () => passed);
  return {
    leg: fixedSpread({ pairs: [PAIR], sources: [source], spreadBps: 50, clock: () => WALL }),
    pair: PAIR,
    now: WALL + 24 * HOUR_MS,
    setPrice: (next) => void ((price = next), (passed += 60_000)),
    troubles: Object.keys(TROUBLES),
    cause: (next) => void ((trouble = next), (passed += 60_000)),
    trades: null,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('fixedSpread at the prices of a URL', () => {
  describeLaws(exchangeLegLaws, { create }, { describe, it });
});
