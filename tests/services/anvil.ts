import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

import { freePort } from './ports.js';

/** A private EVM chain. Block times are the machine's; every transaction creates a block, unless configured otherwise. */
export interface TestAnvil {
  readonly url: string;
  /** One JSON-RPC call, including anvil's own methods. */
  readonly request: (method: string, ...params: unknown[]) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

const READY_WITHIN_MS = 120_000;

/** Starts anvil from its npm package on a free port. `args` are passed to anvil, for example `--no-mining`. */
export async function startAnvil(args: readonly string[] = []): Promise<TestAnvil> {
  const port = await freePort();
  const child = spawn(anvilBinary(), ['--port', String(port), '--silent', '--slots-in-an-epoch', '4', ...args], {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const url = `http://127.0.0.1:${port}`;
  const request = requestTo(url);
  const stop = async () => {
    process.off('exit', killWithUs);
    child.kill('SIGKILL');
    await ended;
  };
  const until = performance.now() + READY_WITHIN_MS;
  while (performance.now() < until && child.exitCode === null) {
    if ((await request('eth_chainId').catch(() => null)) !== null) return { url, request, stop };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await stop();
  throw new Error(`anvil did not start on port ${port}.`);
}

/** The binary is in an optional dependency, one for each platform. */
function anvilBinary(): string {
  const cpu = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  const require = createRequire(import.meta.resolve('@foundry-rs/anvil/package.json'));
  return require.resolve(`@foundry-rs/anvil-${process.platform}-${cpu}/bin/${name}`);
}

function requestTo(url: string): TestAnvil['request'] {
  return async (method, ...params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? null;
  };
}
