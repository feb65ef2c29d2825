import { spawn, type ChildProcess } from 'node:child_process';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { call, type Json } from './ask.js';
import { freePort } from '../../../tests/services/ports.js';
import { StartError } from '../src/start-error.js';
import { bundledPrograms } from '../../../tests/services/programs.js';

export { call, eventually, type Json } from './ask.js';

/** The server as an operator runs it: a process, by default with free ports. */
export interface RunningServer {
  readonly process: ChildProcess;
  stdout(): string;
  /** The log, with a failed start as text. */
  stderr(): string;
  /** The log as it is. */
  log(): string;
  /** Resolves once stdout matches; rejects with all output if the process ends first. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
  /** The exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
}

const FREE_PORTS = {
  GATE_SANDBOX_PORT: '0',
  GATE_LIVE_PORT: '0',
  GATE_SANDBOX_WIDGET_PORT: '0',
  GATE_WIDGET_PORT: '0',
  GATE_POOLS_PORT: '0',
  GATE_DEMO: 'on',
  GATE_DEMO_PORT: '0',
  GATE_OPS_PORT: '0',
  GATE_CONSOLE_PORT: '0',
} as const;

export const programs = await bundledPrograms();

export function runServer(environment: Readonly<Record<string, string>>): RunningServer {
  const child = spawn(process.execPath, ['--enable-source-maps', programs.server], {
    env: { PATH: process.env['PATH'], ...FREE_PORTS, GATE_LOG: 'json', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  const printed = (pattern: RegExp): Promise<RegExpMatchArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(stdout);
        if (found !== null) resolve(found);
      };
      child.stdout.on('data', look);
      look();
      void exited.then(() =>
        reject(new Error(`The server ended before it printed ${String(pattern)}:\n${stdout}${readable(stderr)}`)),
      );
    });
  return { process: child, stdout: () => stdout, stderr: () => readable(stderr), log: () => stderr, printed, exited };
}

/** The log with a failed start as text, as it is where the log is not JSON. */
function readable(log: string): string {
  return log.replaceAll(/^\{.*"msg":"Gateramp cannot start"\}$/gm, (line) => {
    const { problems } = JSON.parse(line) as { readonly problems?: readonly string[] };
    return problems === undefined ? line : new StartError(problems).message;
  });
}

export type Origins = Readonly<
  Record<'sandbox' | 'live' | 'widget' | 'sandbox_widget' | 'pools' | 'demo' | 'ops' | 'console', string>
>;

export type ReadyServer = RunningServer & { readonly origins: Origins };

const STARTS_MAX = 5;
/** A server that the machine pauses for three seconds while it connects ends with this, for its supervisor to start it again. */
const PAUSED = /Postgres at \S+ cannot be reached \(.*timeout/;

/** The port of the demo shop is one that no other process takes while a test restarts the server, since stored URLs contain it. */
export async function readyServer(environment: Readonly<Record<string, string>>): Promise<ReadyServer> {
  const settings = { GATE_DEMO_PORT: String(await freePort()), ...environment };
  for (let starts = 1; ; starts += 1) {
    const server = runServer(settings);
    try {
      const [line] = await server.printed(/^\{"event":"ready".*\}\n/m);
      return { ...server, origins: JSON.parse(line) };
    } catch (error) {
      if (starts === STARTS_MAX || !PAUSED.test(server.stderr())) throw error;
    }
  }
}

export interface Hook {
  readonly type: string;
  readonly session_id: string;
  readonly sequence: number;
  readonly verified: boolean;
  readonly times: number;
}

/** The webhooks about a session that the demo shop at `demo` has received. */
export async function hooksOf(demo: string, sessionId: string): Promise<readonly Hook[]> {
  const response = await fetch(`${demo}/hooks`);
  const { data } = (await response.json()) as { data: readonly Hook[] };
  return data.filter((hook) => hook.session_id === sessionId);
}

/** Sells a session in the demo shop, which a test buyer pays at once. Returns its id. */
export async function buyOnce({ demo }: Origins): Promise<string> {
  const sold = await call(`${demo}/sell`, { 'sec-fetch-site': 'same-origin' }, {});
  if (sold.status !== 200) throw new Error(`The shop could not sell: ${JSON.stringify(sold.json)}`);
  return String(sold.json.session_id);
}

/** Sends a request of the demo partner, which must succeed. */
export async function postAsDemo({ origins }: ReadyServer, path: string, body: object, key: string): Promise<Json> {
  const headers = { authorization: `Bearer ${DEMO_KEYS.secret}`, 'idempotency-key': key };
  const { status, json } = await call(`${origins.sandbox}${path}`, headers, body);
  if (![200, 201, 202].includes(status)) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
  return json;
}
