import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PlainError } from '../../tools/lib/steps.mjs';
import { redisBinary } from './redis-binary.mjs';

const readyWithinMs = 15_000;

/** Ends Redis and removes its files as soon as standard input ends, which it does however the test process ends. */
const keeper = [
  'exec 3<&0',
  '"$0" "$@" < /dev/null & child=$!',
  '(cat <&3 > /dev/null; kill -KILL $child; rm -rf "$GATERAMP_DATA") 2> /dev/null &',
  'wait $child',
].join('\n');

/**
 * Starts a private Redis on a free port, keeping nothing. Tests that break Redis break this one, whatever
 * TEST_REDIS_URL says. `port` is for a test that must find it again whatever else takes ports meanwhile.
 */
export async function startRedis({ port: fixed = null } = {}) {
  const instance = {
    binary: await redisBinary(),
    folder: mkdtempSync(join(tmpdir(), 'gateramp-redis-')),
    port: fixed ?? (await freePort()),
    child: null,
  };
  spawnServer(instance);
  await untilReady(instance);
  return {
    url: `redis://127.0.0.1:${instance.port}`,
    port: instance.port,
    /** Ends it and removes its files. */
    stop: () => stop(instance),
    /** It ends at once, and forgets everything. `start` brings an empty one back on the same port. */
    kill: () => kill(instance),
    start: async () => {
      spawnServer(instance);
      await untilReady(instance);
    },
    /** It keeps its connections, takes new ones and answers nothing: the worst way to be away. */
    pause: () => process.kill(pidOf(instance), 'SIGSTOP'),
    resume: () => process.kill(pidOf(instance), 'SIGCONT'),
  };
}

function spawnServer(instance) {
  const { binary, folder, port } = instance;
  const settings = {
    port,
    bind: '127.0.0.1',
    save: '',
    appendonly: 'no',
    dir: folder,
    pidfile: join(folder, 'pid'),
    loglevel: 'warning',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn('/bin/sh', ['-c', keeper, binary, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, GATERAMP_DATA: folder },
    detached: true,
    stdio: ['pipe', log, log],
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
  while (performance.now() < until && instance.child.exitCode === null) {
    if (await answers(instance.port)) return;
    await pause(10);
  }
  const log = readFileSync(join(instance.folder, 'log'), 'utf8').split('\n').slice(-20).join('\n');
  await stop(instance);
  throw new PlainError(`Redis for the tests did not start on port ${instance.port}.\n\n${log}`);
}

async function stop(instance) {
  instance.child.ref();
  instance.child.stdin.end();
  await instance.ended;
  rmSync(instance.folder, { recursive: true, force: true });
}

/** The whole session of the keeper, or it would remove the files. */
async function kill(instance) {
  instance.child.ref();
  process.kill(-instance.child.pid, 'SIGKILL');
  await instance.ended;
  while (await answers(instance.port)) await pause(5);
}

const pidOf = ({ folder }) => Number(readFileSync(join(folder, 'pid'), 'utf8'));

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether it answers a PING, and not merely takes the connection. */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
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
