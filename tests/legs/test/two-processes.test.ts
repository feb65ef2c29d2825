import { readFileSync } from 'node:fs';
import { postgresLegsStore } from '@gateramp/adapters-store-postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openLegs } from '../../../apps/reference-server/src/legs/open-legs.js';
import { readLegs } from '../../../apps/reference-server/src/legs/legs-file.js';
import { freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { buy } from '../../../packages/provider-legs/test/world.js';
import { localChain, type LocalChain } from '../../../tools/demo-chain/local-chain.js';
import { runs } from '../../depth.js';
import { until } from '../checkout.js';

let chain: LocalChain;
let schema: string;
beforeAll(async () => {
  chain = await localChain();
  const pool = await testPool(1);
  schema = await freshSchema(pool);
  await pool.end();
});
afterAll(() => chain.stop());

test('two processes over one Postgres and one wallet, both given every purchase, deliver each of them once', async () => {
  const processes = [await openProcess(), await openProcess()];
  const orders = Array.from({ length: runs(8, 40) }, (_, index) => {
    const walletAddress = `0x${(0xb0b0_0000 + index).toString(16).padStart(40, '1')}`;
    const operationId = `op_two_${index}`;
    return { ...buy(Date.now(), { walletAddress, operationId }), operationId, walletAddress };
  });
  await Promise.all(orders.flatMap((order) => processes.map(({ legs }) => legs.provider.start(order))));
  for (const { legs } of processes)
    legs.start({ now: () => Date.now(), sandboxes: () => new Map(), skipsStepped: false });
  for (const order of orders)
    await until(async () => {
      const [first] = processes;
      const found = await first?.legs.provider.lookup({ ...order, now: Date.now() });
      return found?.outcome.kind === 'succeeded' ? found : null;
    });
  const delivered = await Promise.all(
    orders.map(({ walletAddress }) => chain.balanceOf(walletAddress as `0x${string}`)),
  );
  // 100.00 EUR less fees of 1.05, at 0.92 plus half the spread.
  expect(new Set(delivered)).toEqual(new Set([107_286_132n]));
  const owed = (await processes[0]?.store.balances(null))?.filter(({ account }) => account === 'customer');
  expect(owed).toEqual([]);
  expect(processes.flatMap(({ alarms }) => alarms)).toEqual([]);
});

/** Opens the legs of the legs file with their own connections, like another process. */
async function openProcess() {
  const { environment } = chain;
  const { legs: config } = readLegs(readFileSync(environment['GATE_LEGS_FILE'] ?? '', 'utf8'), environment);
  if (config === null) throw new Error('The legs file of the local chain has problems.');
  const pool = await testPool(4);
  const store = postgresLegsStore(pool, { schema });
  const alarms: string[] = [];
  const legs = openLegs(config, { store, alarm: (name) => void alarms.push(name), onError: () => {} });
  onTestFinished(async () => {
    await legs.stop();
    await pool.end();
  });
  return { legs, store, alarms };
}
