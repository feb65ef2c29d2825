import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';

import { PlainError, run } from '../../tools/lib/steps.mjs';
import { aptInstall, mayInstall, onPath } from '../../tools/lib/apt.mjs';
import { kept, type Running } from './kept-process.js';
import { freePort } from './ports.js';
import { childrenOf, signal } from './processes.js';
import { give, giveAll, runAccount } from './postgres-binaries.js';
import { postgresKeeper } from './postgres.js';
import { stockPostgres } from './stock-postgres.js';

export interface FailoverNode {
  readonly name: string;
  readonly port: number;
  /** Simulates the loss of its machine: Postgres and the process that watches it end at once. Its data stays. */
  readonly kill: () => Promise<void>;
  readonly start: () => void;
}

/** A monitor of pg_auto_failover with two nodes that replicate synchronously, each with a database `gate`. */
export interface AutoFailover {
  readonly nodes: readonly [FailoverNode, FailoverNode];
  /** The state that each node has reported to the monitor, such as `primary`. */
  readonly states: () => Promise<Readonly<Record<string, string>>>;
  readonly stop: () => Promise<void>;
}

/** `settings` of the monitor decide how soon a lost primary is replaced. */
export async function startAutoFailover(settings: Readonly<Record<string, string>> = {}): Promise<AutoFailover> {
  const bin = await installed();
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-auto-failover-'));
  const started: Member[] = [];
  const member = async (name: string): Promise<Member> => {
    const made = new Member({ name, folder: join(folder, name), port: await freePort(), bin });
    started.push(made);
    return made;
  };
  const monitor = await member('monitor');
  await monitor.create('monitor');
  monitor.configure(settings);
  monitor.start();
  const url = `postgres://autoctl_node@127.0.0.1:${monitor.port}/pg_auto_failover`;
  const states = () => statesOf(url);
  await until(async () => (await states()) !== null);
  const [first, second] = [await member('first'), await member('second')];
  for (const node of [first, second]) {
    const options = ['--name', node.name, '--monitor', `${url}?sslmode=disable`];
    await node.create('postgres', ...options, '--username', 'postgres', '--dbname', 'gate');
    node.start();
    await until(async () => /^(single|secondary|primary)$/.test((await states())?.[node.name] ?? ''));
  }
  await until(async () => (await states())?.['first'] === 'primary' && (await states())?.['second'] === 'secondary');
  return {
    nodes: [first, second],
    states: async () => (await states()) ?? {},
    stop: async () => {
      for (const one of started.toReversed()) await one.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly bin: string;
}

class Member implements FailoverNode {
  readonly name: string;
  readonly port: number;
  private running: Running | null = null;

  constructor(private readonly place: Place) {
    [this.name, this.port] = [place.name, place.port];
    mkdirSync(join(place.folder, 'run'), { recursive: true });
    give(dirname(place.folder), runAccount());
    giveAll(place.folder, runAccount());
  }

  async create(kind: 'monitor' | 'postgres', ...options: readonly string[]): Promise<void> {
    const { port, bin } = this.place;
    const args = ['create', kind, '--pgdata', this.data, '--pgport', String(port), '--hostname', '127.0.0.1'];
    const open = ['--auth', 'trust', '--no-ssl', '--pgctl', join(bin, 'pg_ctl')];
    const spawned = { cwd: this.place.folder, env: this.env, ...runAccount() };
    const { code, output } = await run('pg_autoctl', [...args, ...open, ...options], spawned);
    if (code !== 0) throw new PlainError(`pg_autoctl create ${kind} ended with ${code}.\n\n${output}`);
  }

  configure(settings: Readonly<Record<string, string>>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.data, 'postgresql.conf'), lines.join(''));
  }

  readonly start = (): void => {
    const log = openSync(join(this.place.folder, 'log'), 'a');
    const child = spawn('/bin/sh', ['-c', postgresKeeper, 'pg_autoctl', 'run', '--pgdata', this.data], {
      cwd: this.place.folder,
      env: { ...this.env, GATERAMP_DATA: this.place.folder },
      detached: true,
      stdio: ['pipe', log, log],
      ...runAccount(),
    });
    closeSync(log);
    this.running = kept(child);
  };

  readonly kill = async (): Promise<void> => {
    const { running } = this;
    if (running === null) return;
    const all = [running.pid, ...descendantsOf(running.pid)];
    running.child.ref();
    for (const pid of all) signal(pid, 'SIGKILL');
    await running.ended;
    await until(async () => !all.some((pid) => signal(pid, 0)));
    this.running = null;
  };

  async stop(): Promise<void> {
    if (this.running === null) return;
    this.running.child.ref();
    this.running.stdin.end();
    await this.running.ended;
  }

  private get data(): string {
    return join(this.place.folder, 'data');
  }

  private get env(): Record<string, string | undefined> {
    return {
      PATH: process.env.PATH,
      LC_ALL: 'C.UTF-8',
      HOME: this.place.folder,
      XDG_RUNTIME_DIR: join(this.place.folder, 'run'),
    };
  }
}

/** Null while the monitor does not answer. */
async function statesOf(url: string): Promise<Readonly<Record<string, string>> | null> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string; state: string }>(
      'select nodename as name, reportedstate::text as state from pgautofailover.node',
    );
    return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
  } catch {
    return null;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The folder of Postgres's programs. Both packages are installed as root on Debian; a missing one is a failure. */
async function installed(): Promise<string> {
  const { bin } = await stockPostgres();
  const major = basename(dirname(bin));
  const packages = ['pg-auto-failover-cli', `postgresql-${major}-auto-failover`];
  const isThere = (): boolean =>
    onPath('pg_autoctl') !== null && existsSync(`/usr/share/postgresql/${major}/extension/pgautofailover.control`);
  if (!isThere() && mayInstall()) for (const name of packages) await aptInstall(name, '--no-install-recommends');
  if (!isThere())
    throw new PlainError(
      `There is no pg_auto_failover to test with. Run "sudo apt-get install -y ${packages.join(' ')}".`,
    );
  return bin;
}

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

const READY_WITHIN_MS = 90_000;

async function until(claim: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + READY_WITHIN_MS;
  while (!(await claim())) {
    if (performance.now() > end) throw new PlainError('pg_auto_failover for the tests did not get ready in time.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
