import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ANY_PORT } from '../../../tests/services/any-port.js';
import { portOf } from '../../../tests/services/ports.js';
import { MASTER_KEY } from './master-keys.js';
import { eventually, programs, runServer } from './running-server.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

interface Started {
  readonly npm: ChildProcess;
  readonly output: () => string;
  /** Resolves once the output matches. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** The exit code of npm, or the signal that ended it. */
  readonly exited: Promise<number | string | null>;
  /** Resolves once no process is left that npm started, however deep. */
  readonly allEnded: () => Promise<true>;
}

/** Runs `npm start` in a process group of its own, which contains all its processes. */
function npmStart(cwd: string, env: Readonly<Record<string, string>>): Started {
  const npm = spawn('npm', ['start', '--silent'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = String(npm.pid);
  const closed = once(npm, 'close');
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  onTestFinished(() => {
    if (processesOf(group) > 0) process.kill(-Number(group), 'SIGKILL');
  });
  return {
    npm,
    output: () => output,
    printed: (pattern) => eventually(async () => pattern.exec(output)),
    exited: new Promise((resolve) => npm.on('exit', (code, signal) => resolve(code ?? signal))),
    allEnded: async () => {
      await closed;
      return eventually(async () => (processesOf(group) === 0 ? true : null));
    },
  };
}

/** Without those that have ended and that nothing has collected. */
function processesOf(group: string): number {
  const lines = execFileSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => line.trim().split(/ +/)).filter(([id, stat]) => id === group && stat?.[0] !== 'Z').length;
}

/** A package whose script `start` is this one, as in the repositories of users. */
function packageWith(script: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateramp-script-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, scripts: { start: script } }));
  return dir;
}

const isClosed = async (origin: string): Promise<boolean> =>
  (await fetch(`${origin}/health`).catch(() => null)) === null;

const sandboxOf = ([line]: RegExpExecArray): string => (JSON.parse(line) as { readonly sandbox: string }).sandbox;

const READY = /^\{"event":"ready".*\}$/m;
const node = JSON.stringify(process.execPath);

describe('npm start of a clone', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s drains the server, then ends npm with exit code 0', async (signal) => {
    const started = npmStart(repository, { ...ANY_PORT, GATE_LOG: 'json' });
    const origin = sandboxOf(await started.printed(READY));
    started.npm.kill(signal);
    expect(await started.exited).toBe(0);
    await started.allEnded();
    expect(await isClosed(origin)).toBe(true);
    expect(started.output()).toContain('"msg":"Stopped"');
  });

  it.each(['SIGHUP', 'SIGKILL'] as const)('%s ends npm at once, and drains the server', async (signal) => {
    const started = npmStart(repository, { ...ANY_PORT, GATE_LOG: 'json' });
    const origin = sandboxOf(await started.printed(READY));
    started.npm.kill(signal);
    expect(await started.exited).toBe(signal);
    await started.allEnded();
    expect(await isClosed(origin)).toBe(true);
    expect(started.output()).toContain('"msg":"Stopped"');
  });
});

describe('a script whose shell does not pass signals on', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('%s drains the server', async (signal) => {
    const dir = packageWith(`${node} ${programs.server}`);
    const started = npmStart(dir, { ...ANY_PORT, GATE_LOG: 'json' });
    await started.printed(READY);
    started.npm.kill(signal);
    await started.exited;
    await started.allEnded();
    expect(started.output()).toContain('"msg":"Stopped"');
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('%s ends a gate command that waits', async (signal) => {
    const ops = createHttpServer((_request, response) => response.end('{"worker":"draining"}'));
    await once(ops.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void ops.close());
    const asked = once(ops, 'request');
    const dir = packageWith(`${node} ${programs.gate} drain --yes --wait 1h --ops http://127.0.0.1:${portOf(ops)}`);
    const started = npmStart(dir, {});
    await asked;
    started.npm.kill(signal);
    await started.exited;
    await started.allEnded();
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s ends gateramp listen, although the service has stopped answering',
    async (signal) => {
      let requests = 0;
      const service = createHttpServer((_request, response) => {
        requests += 1;
        if (requests > 1) return;
        response.setHeader('content-type', 'application/json').end('{"object":"list","data":[],"has_more":false}');
      });
      await once(service.listen(0, '127.0.0.1'), 'listening');
      onTestFinished(() => {
        service.closeAllConnections();
        service.close();
      });
      const base = `http://127.0.0.1:${portOf(service)}`;
      const dir = packageWith(`${node} ${programs.gateramp} listen --forward-to ${base} --state place.json --json`);
      const started = npmStart(dir, { GATERAMP_SECRET_KEY: 'sk_test_any', GATERAMP_BASE_URL: base });
      await eventually(async () => (requests > 1 ? true : null));
      started.npm.kill(signal);
      await started.exited;
      await started.allEnded();
    },
  );
});

describe('a server that is still starting', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it with exit code 0', async (signal) => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void silent.close());
    const connected = once(silent, 'connection');
    const server = runServer({
      DATABASE_URL: `postgres://gate@127.0.0.1:${portOf(silent)}/gate`,
      GATE_MASTER_KEY: MASTER_KEY,
    });
    await connected;
    server.process.kill(signal);
    expect(await server.exited).toBe(0);
    expect(server.stderr()).toContain('Stopped');
  });
});

it('SIGTERM again, later than one that npm or a terminal may repeat, ends a draining server at once', async () => {
  const server = runServer({ GATE_DRAIN_DELAY_MS: '600000' });
  await server.printed(READY);
  const repeat = setInterval(() => server.process.kill('SIGTERM'), 100);
  onTestFinished(() => clearInterval(repeat));
  expect(await server.exited).toBe(1);
});
