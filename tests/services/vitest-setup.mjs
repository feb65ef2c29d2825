import { createServer } from 'node:http';

import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

/**
 * Services for one vitest run, each started when the first test asks for it (`GET /postgres` answers with its URL) and stopped after the
 * last. One Postgres of each kind serves the whole run; each subject under test takes a schema of its own in it.
 */
export default async function setup() {
  const started = new Map();
  const starters = {
    '/postgres': () => startPostgres(),
    '/postgres/stock': () => startPostgres({ kind: 'stock' }),
    '/redis': startRedis,
  };
  const server = createServer((request, response) => {
    const start = starters[request.url];
    if (start === undefined) return response.writeHead(404).end();
    if (!started.has(request.url)) started.set(request.url, start());
    return started.get(request.url).then(
      ({ url }) => response.end(url),
      (error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env.GATERAMP_TEST_SERVICES = `http://127.0.0.1:${server.address().port}`;
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
