import { spawn } from 'node:child_process';
import { closeSync, cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PlainError } from '../../tools/lib/steps.mjs';
import { giveAll, postgresBinaries, postgresKind } from './postgres-binaries.mjs';

const readyWithinMs = 30_000;

/**
 * Ends Postgres and removes its files as soon as standard input ends, which it does however the test process ends. In a session of its own,
 * so that Ctrl-C in the terminal reaches the tests first.
 */
const keeper = [
  'exec 3<&0',
  '"$0" "$@" < /dev/null & child=$!',
  '(cat <&3 > /dev/null; kill -QUIT $child; while kill -0 $child; do sleep 0.02; done; rm -rf "$GATERAMP_DATA") 2> /dev/null &',
  'wait $child',
].join('\n');

/**
 * Starts a private Postgres on a free port, its data in a temporary folder, fsync on. `kind` is `embedded` or `stock` (see postgresKind).
 * `settings` are server settings (`{ max_connections: 50 }`). `tuning` are those that only make it faster: a stock server does without
 * them, as it comes. `port` is for a test that must find it again whatever else takes ports meanwhile.
 */
export async function startPostgres({ settings = {}, tuning = {}, port: fixed = null, kind = postgresKind() } = {}) {
  const binaries = await postgresBinaries(kind);
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-data-'));
  const data = join(folder, 'data');
  cpSync(binaries.template, data, { recursive: true, preserveTimestamps: true });
  giveAll(folder, binaries.account);
  const port = fixed ?? (await freePort());
  const instance = {
    binaries,
    folder,
    data,
    port,
    settings: kind === 'stock' ? settings : { max_connections: 200, ...tuning, ...settings },
    child: null,
  };
  spawnServer(instance);
  await untilReady(instance);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    /** Of the process that all of its processes descend from. */
    pid: instance.child.pid,
    /** Ends it and removes its data. */
    stop: () => stop(instance),
    /** The power goes: every process of it ends at once, nothing is flushed. Its data stays; `start` recovers from it. */
    kill: () => kill(instance),
    start: () => relaunch(instance),
  };
}

function spawnServer(instance) {
  const { binaries, folder, data, port, settings } = instance;
  const all = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const args = ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const log = openSync(join(folder, 'log'), 'a');
  const env = { PATH: process.env.PATH, GATERAMP_DATA: folder };
  const child = spawn('/bin/sh', ['-c', keeper, join(binaries.bin, 'postgres'), ...args], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['pipe', log, log],
    ...binaries.account,
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  child.stdin.unref();
  instance.child = child;
  instance.ended = new Promise((resolve) => child.once('exit', resolve));
}

async function untilReady(instance) {
  const until = performance.now() + readyWithinMs;
  while (performance.now() < until) {
    if (postmasterStatus(instance) === 'ready' && (await answers(instance.port))) return;
    if (instance.child.exitCode !== null) break;
    await pause(20);
  }
  const log = readFileSync(join(instance.folder, 'log'), 'utf8').split('\n').slice(-20).join('\n');
  await stop(instance);
  throw new PlainError(`Postgres for the tests did not start on port ${instance.port}.\n\n${log}`);
}

async function relaunch(instance) {
  rmSync(join(instance.data, 'postmaster.pid'), { force: true });
  spawnServer(instance);
  await untilReady(instance);
}

async function stop(instance) {
  instance.child.ref();
  instance.child.stdin.end();
  await instance.ended;
  rmSync(instance.folder, { recursive: true, force: true });
}

/** Processes of a killed server hold its memory until they are gone, and until then no other may start. */
async function kill(instance) {
  const pid = Number(postmaster(instance)[0]);
  const all = [pid, ...childrenOf(pid)];
  instance.child.ref();
  // The whole session of the keeper first, or it would remove the data.
  signal(-instance.child.pid, 'SIGKILL');
  for (const each of all) signal(each, 'SIGKILL');
  await instance.ended;
  while (all.some((each) => signal(each, 0))) await pause(5);
}

/** Lines of postmaster.pid: the first is the process id, the eighth its status. */
function postmaster({ data }) {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Where there is no /proc, the children end by themselves once they notice. */
function childrenOf(pid) {
  const list = `/proc/${pid}/task/${pid}/children`;
  return existsSync(list) ? readFileSync(list, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

const postmasterStatus = (instance) => postmaster(instance)[7]?.trim();

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true) || socket.destroy());
    socket.once('error', () => resolve(false));
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
