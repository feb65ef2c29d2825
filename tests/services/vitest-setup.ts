import { once } from 'node:events';
import { createServer } from 'node:http';

import { claimPorts, portOf } from './ports.js';
import { startPostgres } from './postgres.js';
import { bundlePrograms } from './programs.js';
import { startRedis } from './redis.js';
import type { Service } from './service.js';

/** Test data need not survive the machine. Tests of power failures start their own Postgres. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' };

/**
 * The services of one vitest run, each started on first use (`GET /postgres` returns its URL) and stopped at the end. One Postgres of each
 * kind serves the whole run; each subject under test uses its own schema. One Chromium serves the whole run as well.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Each vitest project calls this; they share the services that the first one has started.
  if (process.env.GATERAMP_TEST_SERVICES) return async () => undefined;
  const started = new Map<string, Promise<Service>>();
  const starters: Readonly<Record<string, () => Promise<Service>>> = {
    '/postgres': () => startPostgres({ tuning: NOT_DURABLE }),
    '/postgres/stock': () => startPostgres({ kind: 'stock' }),
    '/redis': () => startRedis(),
    '/programs': () => bundlePrograms(),
    // Imported on demand: Playwright is expensive to load for a run without a browser.
    '/chromium': async () => (await import('../browser/start-chromium.js')).startChromium(),
  };
  const server = createServer((request, response) => {
    const { url: path = '' } = request;
    const start = starters[path];
    if (start === undefined) return void response.writeHead(404).end();
    // Files share threads, and therefore connections, which may have been closed while idle.
    response.setHeader('connection', 'close');
    const service = started.get(path) ?? start();
    started.set(path, service);
    service.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const ports = await claimPorts();
  process.env.GATERAMP_TEST_RUN = String(ports.run);
  process.env.GATERAMP_TEST_SERVICES = `http://127.0.0.1:${portOf(server)}`;
  return async () => {
    ports.release();
    server.closeAllConnections();
    server.close();
    for (const service of started.values())
      await service.then(
        ({ stop }) => stop(),
        () => undefined,
      );
  };
}
