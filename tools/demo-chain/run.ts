import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { localChain } from './local-chain.js';

/**
 * A private chain, a token on it, a funded hot wallet, and the reference server with provider legs in test mode: a purchase in the demo
 * shop delivers test USDC to the given address. Everything is deleted at the end.
 */
async function demo(): Promise<void> {
  const chain = await localChain();
  process.stdout.write(
    [
      `A private EVM chain runs at ${chain.url} (chain id ${chain.chainId}), with test USDC at ${chain.token}.`,
      `Hot wallet ${chain.wallet}. In the demo shop, buy with the test card 4242 4242 4242 4242.`,
      '',
      '',
    ].join('\n'),
  );
  const main = join(import.meta.dirname, '../../apps/reference-server/dist/main.js');
  const server = spawn(process.execPath, [main], { stdio: 'inherit', env: { ...process.env, ...chain.environment } });
  const stop = (signal: NodeJS.Signals) => () => server.kill(signal);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, stop(signal));
  process.on('SIGINT', process.stdin.isTTY ? () => undefined : stop('SIGINT'));
  server.on('exit', (code, signal) => {
    void chain.stop().finally(() => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  });
}

await demo();
