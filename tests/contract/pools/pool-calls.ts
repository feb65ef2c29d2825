import {
  type Answer,
  expectStatus,
  freshKey,
  type HttpWorld,
  itemsOf,
  type Members,
  membersOf,
  type Sent,
  textOf,
  WALLET,
} from '../kit.js';
import { TEST_KEYS } from '@gateramp/testing';

export const POOL = 'pool_usdc_eur';

/** For the pool below: 1 / 0.92 with 18 digits, less half a per cent. */
export const QUOTE_BODY = {
  side: 'on_ramp',
  asset: 'USDC',
  network: 'base',
  amount: '100.00',
  currency: 'EUR',
  destAddress: WALLET,
} as const;

/** A pool of the partner with these balances. */
export async function openPool(
  { t }: HttpWorld,
  { id = POOL, eur = '10000', usdc = '10000', partnerId = t.partner.id } = {},
): Promise<void> {
  const { admin } = t.gate;
  const terms = { id, asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
  await admin.savePool(partnerId, terms);
  await admin.movePoolBalance(partnerId, { poolId: id, currency: 'EUR', amount: eur, reference: 'opening' });
  await admin.movePoolBalance(partnerId, { poolId: id, currency: 'USDC', amount: usdc, reference: 'opening' });
}

/** Calls the host of pools, with the live secret key by default. */
export function ask(world: HttpWorld, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const key = 'headers' in sent ? {} : { key: TEST_KEYS.secret.live };
  return world.send(method, path, { product: 'pools', ...key, ...sent });
}

export function quote(world: HttpWorld, body: Members = {}, sent: Sent = {}, poolId = POOL): Promise<Answer> {
  return ask(world, 'POST', `/v1/pools/${poolId}/quote`, { body: { ...QUOTE_BODY, ...body }, ...sent });
}

export async function quoteId(world: HttpWorld, body: Members = {}, poolId = POOL): Promise<string> {
  return textOf(expectStatus(await quote(world, body, {}, poolId), 201).json, 'quoteId');
}

export function transact(world: HttpWorld, id: string, sent: Sent = {}, poolId = POOL): Promise<Answer> {
  return ask(world, 'POST', `/v1/pools/${poolId}/transact`, {
    idempotencyKey: freshKey(),
    body: { quoteId: id, destAddress: WALLET },
    ...sent,
  });
}

/** `EUR 9900/100` means 9900 available and 100 reserved, with their sum as the total. */
export async function balances(world: HttpWorld, poolId = POOL): Promise<Readonly<Record<string, string>>> {
  const answer = expectStatus(await ask(world, 'GET', `/v1/pools/${poolId}/balance`), 200);
  const { balances: all } = answer.json;
  const parts = Array.isArray(all) ? all.map(membersOf) : [];
  return Object.fromEntries(
    parts.map((one) => [
      textOf(one, 'currency'),
      `${textOf(one, 'available')} + ${textOf(one, 'reserved')} = ${textOf(one, 'total')}`,
    ]),
  );
}

export const UNTOUCHED = { USDC: '10000 + 0 = 10000', EUR: '10000 + 0 = 10000' };

export async function trades(world: HttpWorld, query = ''): Promise<readonly Members[]> {
  return itemsOf(expectStatus(await ask(world, 'GET', `/v1/pools/trades${query}`), 200));
}
