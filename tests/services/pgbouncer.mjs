import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runAccount } from './postgres-binaries.mjs';

/** PgBouncer in front of `url`, pooling by transaction; null where it is not installed. */
export async function startPgBouncer(url) {
  const target = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-pgbouncer-'));
  const port = await freePort();
  chmodSync(folder, 0o755);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 2,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const database = `* = host=${target.hostname} port=${target.port} user=${target.username}`;
  writeFileSync(join(folder, 'pgbouncer.ini'), ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...runAccount() });
  const ended = new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const isUp = await Promise.race([ended.then(() => false), answers(port)]);
  if (isUp) return { url: `postgres://${target.username}@127.0.0.1:${port}${target.pathname}`, stop };
  await stop();
  return null;
}

async function answers(port) {
  for (;;) {
    const isUp = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true) || socket.destroy()).once('error', () => resolve(false));
    });
    if (isUp) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
