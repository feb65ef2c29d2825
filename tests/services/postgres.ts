import { spawn } from 'node:child_process';
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PlainError } from '../../tools/lib/steps.mjs';
import { kept, type Running } from './kept-process.js';
import { accepts, freePort } from './ports.js';
import { childrenOf, signal } from './processes.js';
import {
  giveAll,
  postgresBinaries,
  postgresKind,
  type PostgresBinaries,
  type PostgresKind,
} from './postgres-binaries.js';

const readyWithinMs = 120_000;

type Settings = Readonly<Record<string, string | number>>;

export interface PostgresOptions {
  readonly settings?: Settings;
  readonly tuning?: Settings;
  readonly kind?: PostgresKind;
  /** The data folder of a stopped server, to begin with a copy of it. */
  readonly copyOf?: string;
  /** Files to write into the data folder before the start, such as `standby.signal`. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface TestPostgres {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** The process id of the common ancestor of its processes. */
  readonly pid: number;
  /** Stops it and removes its data. */
  readonly stop: () => Promise<void>;
  /** Simulates a power failure: all its processes end at once, without flushing. Its data stays; `start` recovers from it. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

/** The location of a server, which can be restarted there. */
interface Place {
  readonly binaries: PostgresBinaries;
  readonly folder: string;
  readonly data: string;
  readonly port: number;
  readonly settings: Settings;
}

/**
 * Stops Postgres and removes its files as soon as standard input ends, which also happens if the test process crashes. Runs in a separate
 * session, so that Ctrl-C in the terminal reaches the tests first.
 */
export const postgresKeeper = [
  'exec 3<&0',
  '"$0" "$@" < /dev/null & child=$!',
  '(cat <&3 > /dev/null; kill -QUIT $child; while kill -0 $child; do sleep 0.02; done; rm -rf "$GATERAMP_DATA") 2> /dev/null &',
  'wait $child',
].join('\n');

/**
 * Starts a private Postgres on a free port, with its data in a temporary folder and fsync on. `kind` is `embedded` or `stock` (see
 * postgresKind). `settings` are server settings (`{ max_connections: 50 }`). `tuning` are settings that only affect speed; a stock
 * server ignores them and keeps its defaults.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres> {
  const { settings = {}, tuning = {}, kind = postgresKind(), files = {} } = options;
  const binaries = await postgresBinaries(kind);
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-data-'));
  const data = join(folder, 'data');
  cpSync(options.copyOf ?? binaries.template, data, { recursive: true, preserveTimestamps: true });
  rmSync(join(data, 'postmaster.pid'), { force: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(data, name), text);
  giveAll(folder, binaries.account);
  const port = await freePort();
  const all = kind === 'stock' ? settings : { max_connections: 200, ...tuning, ...settings };
  const place: Place = { binaries, folder, data, port, settings: all };
  let running = await launched(place);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    pid: running.pid,
    stop: () => stop(place, running),
    kill: () => kill(place, running),
    start: async () => {
      rmSync(join(data, 'postmaster.pid'), { force: true });
      running = await launched(place);
    },
  };
}

async function launched(place: Place): Promise<Running> {
  const running = spawnServer(place);
  await untilReady(place, running);
  return running;
}

function spawnServer({ binaries, folder, data, port, settings }: Place): Running {
  const all = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const args = ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const log = openSync(join(folder, 'log'), 'a');
  const env = { PATH: process.env.PATH, GATERAMP_DATA: folder };
  const child = spawn('/bin/sh', ['-c', postgresKeeper, join(binaries.bin, 'postgres'), ...args], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['pipe', log, log],
    ...binaries.account,
  });
  closeSync(log);
  return kept(child);
}

async function untilReady(place: Place, running: Running): Promise<void> {
  const until = performance.now() + readyWithinMs;
  while (performance.now() < until) {
    if (postmasterStatus(place) === 'ready' && (await accepts(place.port))) return;
    if (running.child.exitCode !== null) break;
    await pause(20);
  }
  const log = readFileSync(join(place.folder, 'log'), 'utf8').split('\n').slice(-20).join('\n');
  await stop(place, running);
  throw new PlainError(`Postgres for the tests did not start on port ${place.port}.\n\n${log}`);
}

async function stop({ folder }: Place, { child, stdin, ended }: Running): Promise<void> {
  child.ref();
  stdin.end();
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** The processes of a killed server hold its shared memory until they have ended; no other server can start until then. */
async function kill(place: Place, running: Running): Promise<void> {
  const pid = Number(postmaster(place)[0]);
  const all = [pid, ...childrenOf(pid)];
  running.child.ref();
  // The whole session of the keeper first, or it would remove the data.
  signal(-running.pid, 'SIGKILL');
  for (const each of all) signal(each, 'SIGKILL');
  await running.ended;
  while (all.some((each) => signal(each, 0))) await pause(5);
}

/** The lines of postmaster.pid: the first is the process id, the eighth the status. */
function postmaster({ data }: Place): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

const postmasterStatus = (place: Place): string | undefined => postmaster(place)[7]?.trim();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
