import assert from 'node:assert/strict';
import {
  type Answer,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  textOf,
  WALLET,
} from '../kit.js';
import { ask, openPool, POOL, quote, quoteId, trades, transact } from '../pools/pool-calls.js';
import { admitRival, shapeOf } from './party.js';

const TOPIC = 'HTTP: strangers';
const RIVALS_POOL = 'pool_of_the_rival';
const NOBODYS = 'f'.repeat(24);

interface Met {
  /** The rival's secret key. */
  readonly key: string;
  readonly owners: { readonly quoteId: string; readonly transactId: string };
  readonly rivals: { readonly quoteId: string; readonly transactId: string };
}

/** Two partners with a pool each, with the same terms, who both have quoted and traded, under the same idempotency key. */
async function meet(world: HttpWorld): Promise<Met> {
  const key = (await admitRival(world)).live.secret;
  await openPool(world);
  await openPool(world, { id: RIVALS_POOL, partnerId: '65f0c0ffee65f0c0ffee0002' });
  const trade = async (poolId: string, sent: { readonly key?: string }) => {
    const quoted = textOf(expectStatus(await quote(world, {}, sent, poolId), 201).json, 'quoteId');
    const done = await transact(world, quoted, { ...sent, idempotencyKey: 'the-same' }, poolId);
    return { quoteId: quoted, transactId: textOf(expectStatus(done, 201).json, 'transactId') };
  };
  return { key, owners: await trade(POOL, {}), rivals: await trade(RIVALS_POOL, { key }) };
}

export const poolStrangerLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'no pool, quote or trade of one partner is shown to another, nor replayed under its key',
    async (world) => {
      const { key, owners, rivals } = await meet(world);
      const both: readonly (readonly [Members | undefined, string, string])[] = [
        [undefined, POOL, RIVALS_POOL],
        [{ key }, RIVALS_POOL, POOL],
      ];
      assert.notEqual(owners.transactId, rivals.transactId);
      for (const [sent, own, other] of both) {
        const pools = expectStatus(await ask(world, 'GET', '/v1/pools', sent), 200);
        assert.ok(pools.text.includes(own) && !pools.text.includes(other), pools.text);
        const listed = expectStatus(await ask(world, 'GET', '/v1/pools/trades', sent), 200);
        const [mine, theirs] = own === POOL ? [owners, rivals] : [rivals, owners];
        assert.ok(listed.text.includes(mine.transactId), listed.text);
        for (const id of [theirs.transactId, theirs.quoteId, other]) assert.ok(!listed.text.includes(id), listed.text);
      }
      assert.equal((await trades(world)).length, 1);
    },
  ),
  httpLaw(TOPIC, "another partner's quote or trade is answered exactly like an unknown one", async (world) => {
    const { key, owners } = await meet(world);
    const unused = await quoteId(world);
    const execute = (id: string) =>
      transact(world, id, { key, body: { quoteId: id, destAddress: WALLET } }, RIVALS_POOL);
    for (const id of [owners.quoteId, unused]) {
      const answer = await execute(id);
      expectRefusal(answer, 404, 'quote_not_found');
      assert.deepEqual(shapeOf(answer), shapeOf(await execute(NOBODYS)));
    }
    const after = (cursor: string): Promise<Answer> => ask(world, 'GET', `/v1/pools/trades?cursor=${cursor}`, { key });
    const answer = await after(owners.transactId);
    assert.ok(answer.status >= 400, answer.text);
    assert.deepEqual(shapeOf(answer), shapeOf(await after(NOBODYS)));
    expectStatus(await transact(world, unused), 201);
  }),
];
