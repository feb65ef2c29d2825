import { once } from 'node:events';
import { createServer } from 'node:http';

import { portOf } from './ports.js';
import { startPostgres } from './postgres.js';
import { bundlePrograms } from './programs.js';
import { startRedis } from './redis.js';
import type { Service } from './service.js';

/** What the tests store need not outlive the machine. Tests that cut the power start a Postgres of their own. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' };

/**
 * Services for one vitest run, each started when the first test asks for it (`GET /postgres` answers with its URL) and stopped after the
 * last. One Postgres of each kind serves the whole run; each subject under test takes a schema of its own in it. One Chromium does too.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Each project of vitest asks; they share what the first has brought up.
  if (process.env.GATERAMP_TEST_SERVICES) return async () => undefined;
  const started = new Map<string, Promise<Service>>();
  const starters: Readonly<Record<string, () => Promise<Service>>> = {
    '/postgres': () => startPostgres({ tuning: NOT_DURABLE }),
    '/postgres/stock': () => startPostgres({ kind: 'stock' }),
    '/redis': () => startRedis(),
    '/programs': () => bundlePrograms(),
    // Imported when a test asks: Playwright is much to load for a run without a browser.
    '/chromium': async () => (await import('../browser/start-chromium.js')).startChromium(),
  };
  const server = createServer((request, response) => {
    const { url: path = '' } = request;
    const start = starters[path];
    if (start === undefined) return void response.writeHead(404).end();
    // Files share threads, and so connections, which would be found closed after an idle while.
    response.setHeader('connection', 'close');
    const service = started.get(path) ?? start();
    started.set(path, service);
    service.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env.GATERAMP_TEST_SERVICES = `http://127.0.0.1:${portOf(server)}`;
  return async () => {
    server.closeAllConnections();
    server.close();
    for (const service of started.values())
      await service.then(
        ({ stop }) => stop(),
        () => undefined,
      );
  };
}
