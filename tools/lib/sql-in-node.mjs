import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

import { asModule } from './sql-text.mjs';

/** With `--import`, lets Node import `.sql` files. Loaded twice: to register the hooks, and as the hooks. */
if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.sql')) return nextLoad(url, context);
  return { format: 'module', source: await asModule(new URL(url)), shortCircuit: true };
}
