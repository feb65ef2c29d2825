import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PlainError } from '../../tools/lib/steps.mjs';
import { kept, type Running } from './kept-process.js';
import { freePort } from './ports.js';
import { redisBinary } from './redis-binary.js';

const readyWithinMs = 120_000;

/** Stops Redis and removes its files as soon as standard input ends, which also happens if the test process crashes. */
const keeper = [
  'exec 3<&0',
  '"$0" "$@" < /dev/null & child=$!',
  '(cat <&3 > /dev/null; kill -KILL $child; rm -rf "$GATERAMP_DATA") 2> /dev/null &',
  'wait $child',
].join('\n');

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Stops it and removes its files. */
  readonly stop: () => Promise<void>;
  /** Kills it, which loses all data. `start` starts an empty one on the same port. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** It keeps its connections and accepts new ones, but answers nothing: the worst kind of outage. */
  readonly pause: () => void;
  readonly resume: () => void;
}

export interface RedisOptions {
  /** Lines of its configuration, such as `user gate on >secret ~gateramp:* +@all`. */
  readonly lines?: readonly string[];
  /** Serves TLS only, with this certificate. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

/** The location of a server, which can be restarted there. */
interface Place {
  readonly binary: string;
  readonly folder: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isSentinel: boolean;
}

/** Starts a private Redis on a free port, without persistence. Tests that break Redis use this one, whatever TEST_REDIS_URL says. */
export async function startRedis({ lines = [], tls }: RedisOptions = {}): Promise<TestRedis> {
  const place = await placeFor({ isTls: tls !== undefined });
  const ports =
    tls === undefined
      ? [`port ${place.port}`]
      : ['port 0', `tls-port ${place.port}`, `tls-cert-file ${tls.certificate}`, `tls-key-file ${tls.key}`];
  writeConfig(
    place,
    [...ports, 'save ""', 'appendonly no', ...(tls === undefined ? [] : ['tls-auth-clients no'])],
    lines,
  );
  return serve(place);
}

/** Starts a Sentinel on a free port. It asks for no password unless `lines` say so. */
export async function startSentinel(lines: readonly string[]): Promise<TestRedis> {
  const place = await placeFor({ isSentinel: true });
  writeConfig(place, [`port ${place.port}`], lines);
  return serve(place);
}

async function placeFor({ isTls = false, isSentinel = false }): Promise<Place> {
  const binary = await redisBinary();
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-redis-'));
  return { binary, folder, port: await freePort(), isTls, isSentinel };
}

/** In a file, since Redis writes what a Sentinel changes back to it. */
function writeConfig({ folder }: Place, ...lines: readonly (readonly string[])[]): void {
  const common = ['bind 127.0.0.1', `dir ${folder}`, `pidfile ${join(folder, 'pid')}`, 'loglevel warning'];
  writeFileSync(join(folder, 'redis.conf'), [...common, ...lines.flat(), ''].join('\n'));
}

async function serve(place: Place): Promise<TestRedis> {
  let running = await launched(place);
  return {
    url: `redis${place.isTls ? 's' : ''}://127.0.0.1:${place.port}`,
    port: place.port,
    stop: () => stop(place, running),
    kill: () => kill(place, running),
    start: async () => {
      running = await launched(place);
    },
    pause: () => void process.kill(pidOf(place), 'SIGSTOP'),
    resume: () => void process.kill(pidOf(place), 'SIGCONT'),
  };
}

async function launched(place: Place): Promise<Running> {
  const running = spawnServer(place);
  await untilReady(place, running);
  return running;
}

function spawnServer({ binary, folder, isSentinel }: Place): Running {
  const args = [join(folder, 'redis.conf'), ...(isSentinel ? ['--sentinel'] : [])];
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn('/bin/sh', ['-c', keeper, binary, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, GATERAMP_DATA: folder },
    detached: true,
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  return kept(child);
}

async function untilReady(place: Place, running: Running): Promise<void> {
  const until = performance.now() + readyWithinMs;
  while (performance.now() < until && running.child.exitCode === null) {
    if (await answers(place)) return;
    await pause(10);
  }
  const log = readFileSync(join(place.folder, 'log'), 'utf8').split('\n').slice(-20).join('\n');
  await stop(place, running);
  throw new PlainError(`Redis for the tests did not start on port ${place.port}.\n\n${log}`);
}

async function stop({ folder }: Place, { child, stdin, ended }: Running): Promise<void> {
  child.ref();
  stdin.end();
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** Kills the whole session of the keeper, or it would remove the files. */
async function kill(place: Place, { child, pid, ended }: Running): Promise<void> {
  child.ref();
  process.kill(-pid, 'SIGKILL');
  await ended;
  while (await answers(place)) await pause(5);
}

const pidOf = ({ folder }: Place): number => Number(readFileSync(join(folder, 'pid'), 'utf8'));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether it answers a PING, rather than only accepting connections; without a password, it answers that it needs one. */
function answers({ port, isTls }: Place): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = (): void => void socket.write('PING\r\n');
    const socket = isTls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, ping)
      : connect(port, '127.0.0.1', ping);
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('data', (data: Buffer) => {
      resolve(/^(\+PONG|-NOAUTH)/.test(data.toString()));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
