import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { expect, it } from 'vitest';
import { accepts } from '../ports.js';
import { startPostgres } from '../postgres.js';

it('runs several at a time, each on a free port of its own', async () => {
  const servers = await Promise.all([startPostgres(), startPostgres()]);
  expect(new Set(servers.map(({ port }) => port)).size).toBe(2);
  for (const { port } of servers) expect(await accepts(port)).toBe(true);
  await Promise.all(servers.map(({ stop }) => stop()));
  for (const { port } of servers) expect(await accepts(port)).toBe(false);
});

it.each(['embedded', 'stock'] as const)(
  'runs the %s server with fsync on, and a stock one as it comes, whatever tuning is asked for',
  async (kind) => {
    const server = await startPostgres({ kind, tuning: { shared_buffers: '64MB' } });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('fsync') as fsync, current_setting('shared_buffers') as buffers, pg_jit_available() as compiles`,
    );
    expect(rows).toEqual([
      {
        fsync: 'on',
        ...(kind === 'stock' ? { buffers: '128MB', compiles: true } : { buffers: '64MB', compiles: false }),
      },
    ]);
    await client.end();
    await server.stop();
  },
);

it('comes back on the same port after it was killed', async () => {
  const server = await startPostgres();
  await server.kill();
  expect(await accepts(server.port)).toBe(false);
  await server.start();
  expect(await accepts(server.port)).toBe(true);
  await server.stop();
});

it('ends and removes its data when the process that started it is killed', async () => {
  const module = new URL('../postgres.ts', import.meta.url).href;
  const script = `const { port, folder } = await (await import('${module}')).startPostgres(); console.log(JSON.stringify({ port, folder })); setInterval(() => {}, 1000)`;
  const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string];
  const { port, folder } = JSON.parse(line) as { port: number; folder: string };
  owner.kill('SIGKILL');
  await expect.poll(() => existsSync(folder)).toBe(false);
  expect(await accepts(port)).toBe(false);
});
