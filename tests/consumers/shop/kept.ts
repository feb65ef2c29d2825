import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Runs the program of the README with a data file three times. The first two runs are killed after their responses; the second and
 * third repeat the requests of the first.
 */
const [partnerId] = process.argv.slice(2);
if (partnerId === undefined) threeLives();
else await live(partnerId);

function threeLives(): void {
  const env = { ...process.env, GATE_MASTER_KEY: randomBytes(32).toString('base64') };
  const live = (partner: string): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), partner], { env, encoding: 'utf8' });
  const first = live('none');
  assert.equal(first.signal, 'SIGKILL', first.stderr);
  const [made = ''] = first.stdout.split('\n');
  for (const later of [live(made), live(made)]) {
    assert.equal(later.signal, 'SIGKILL', later.stderr);
    assert.equal(later.stdout, first.stdout);
  }
  for (const name of ['gate.db', 'gate.db-wal', 'gate.db-shm']) rmSync(name, { force: true });
}

/** Creates the partner at the first run, and its session. */
async function live(partner: string): Promise<void> {
  const { gate } = await import('./gate-in-file.js');
  await gate.start();
  const allowedOrigins = ['https://shop.example'];
  const { id } =
    partner === 'none' ? await gate.admin.createPartner({ name: 'Acme', allowedOrigins }) : { id: partner };
  const created = await gate.sessions.create(
    { partnerId: id, mode: 'test' },
    { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' },
    { idempotencyKey: 'order-1' },
  );
  if (created.isErr()) throw new Error(created.error.message);
  writeSync(process.stdout.fd, `${id}\n${JSON.stringify(created.value)}\n`);
  process.kill(process.pid, 'SIGKILL');
}
