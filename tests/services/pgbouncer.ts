import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PlainError } from '../../tools/lib/steps.mjs';
import { aptInstall, mayInstall, onPath } from '../../tools/lib/apt.mjs';
import { accepts, freePort } from './ports.js';
import { runAccount } from './postgres-binaries.js';

/** PgBouncer in front of `url`, pooling by transaction unless `changed` says otherwise. */
export async function startPgBouncer(
  url: string,
  changed: Readonly<Record<string, string | number>> = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const binary = await pgBouncerBinary();
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
    ...changed,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const database = `* = host=${target.hostname} port=${target.port} user=${target.username}`;
  writeFileSync(join(folder, 'pgbouncer.ini'), ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
  const child = spawn(binary, [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...runAccount() });
  const ended = new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const isUp = await Promise.race([ended.then(() => false), answers(port)]);
  if (isUp) return { url: `postgres://${target.username}@127.0.0.1:${port}${target.pathname}`, stop };
  await stop();
  throw new PlainError(`PgBouncer for the tests did not start on port ${port}.`);
}

/** Installed automatically as root on Debian; otherwise the error contains the command to run. A missing one is a failure. */
async function pgBouncerBinary(): Promise<string> {
  const found = installedPgBouncer();
  if (found !== null) return found;
  if (mayInstall()) await aptInstall('pgbouncer', '--no-install-recommends');
  const installed = installedPgBouncer();
  if (installed !== null) return installed;
  const line = process.platform === 'darwin' ? 'brew install pgbouncer' : 'sudo apt-get install -y pgbouncer';
  throw new PlainError(`There is no PgBouncer to test with. Run "${line}".`);
}

/** Debian has it in a folder that is on the path of root alone. */
function installedPgBouncer(): string | null {
  return onPath('pgbouncer') ?? ['/usr/sbin/pgbouncer'].find((path) => existsSync(path)) ?? null;
}

async function answers(port: number): Promise<true> {
  while (!(await accepts(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  return true;
}
