import { cpus } from 'node:os';
import { setup } from '../tools/setup.mjs';
import { benchMemory } from './http/memory.mjs';

/**
 * `npm run bench [-- --quick]`: every comparison runs both sides in turn on this machine, and the
 * ratio of the medians is what counts. Exits 1 when one is below what is promised.
 */
const quick = process.argv.includes('--quick');
await setup();
process.stdout.write(`${new Date().toISOString()} · Node ${process.version} · ${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}\n`);
const rows = await benchMemory(quick ? { rounds: 1, seconds: 2 } : { rounds: 5, seconds: 5 });
process.exitCode = rows.every((row) => row.passed) ? 0 : 1;
