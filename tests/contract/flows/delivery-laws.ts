import assert from 'node:assert/strict';
import { SANDBOX_CONFIRMATIONS } from '@gateramp/adapters-provider-sandbox';
import { buyer, httpLaw, type HttpSubject, type HttpWorld, type Law, type Members, membersOf, textOf } from '../kit.js';
import { begin, delivered, readIntent, readTransaction } from './scene.js';

const TOPIC = 'HTTP: the delivery on the chain';

/** The confirmations of a transaction, which must be the same for the partner and the buyer's browser. */
async function confirmationsOf(world: HttpWorld, token: string, intent: Members): Promise<unknown> {
  const { confirmations, tx_hash: hash, tx_url: url } = await readTransaction(world, intent);
  const receipt = membersOf((await readIntent(world, token, intent))['transaction']);
  assert.deepEqual([receipt['confirmations'], receipt['tx_hash'], receipt['tx_url']], [confirmations, hash, url]);
  assert.deepEqual([hash === null, url === null], [confirmations === null, confirmations === null]);
  if (hash !== null) assert.ok(textOf(receipt, 'tx_url').endsWith(textOf(receipt, 'tx_hash')));
  return confirmations;
}

export const deliveryLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'every confirmation up to the required one is visible on the transaction and the intent, and none is a webhook',
    async (world) => {
      const { token } = await buyer(world);
      const intent = await begin(world, token);
      const seen: unknown[] = [await confirmationsOf(world, token, intent)];
      for (let elapsed = 0; elapsed < 5_000; elapsed += 100) {
        await world.t.clock.advance('100ms');
        const now = await confirmationsOf(world, token, intent);
        if (JSON.stringify(now) !== JSON.stringify(seen.at(-1))) seen.push(now);
      }
      const counted = Array.from({ length: SANDBOX_CONFIRMATIONS + 1 }, (_, count) => ({
        seen: count,
        required: SANDBOX_CONFIRMATIONS,
      }));
      assert.deepEqual(seen, [null, ...counted]);
      assert.equal((await readIntent(world, token, intent))['status'], 'succeeded');
      assert.deepEqual(delivered(world), ['created', 'processing', 'completed']);
    },
  ),
];
