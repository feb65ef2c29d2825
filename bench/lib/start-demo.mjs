import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../../apps/reference-server/dist/main.js', import.meta.url));

/** Starts the server like `npm start`, on free ports. */
export async function startDemo() {
  const names = ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'DEMO', 'OPS', 'CONSOLE'];
  const ports = Object.fromEntries(names.map((name) => [`GATE_${name}_PORT`, '0']));
  const child = spawn(process.execPath, [SERVER], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...ports, GATE_LOG: 'silent' },
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    return { origins: JSON.parse(line), stop: () => (child.kill('SIGTERM'), ended) };
  }
  throw new Error('The server ended before it was ready.');
}
