import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runs } from '../../../tests/depth.js';
import { orderOf, type Shop, type ShopOptions, startWorld, throughLiar, type Token, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

let receivers = 0xee_0000;
const freshBuyer = () => `0x${(receivers += 1).toString(16).padStart(40, 'e')}` as const;
const order = (callId: string, amount: string, asset = 'USDC') => orderOf({ callId, amount, asset, to: freshBuyer() });
const SEND = { asset: 'USDC', as: 'send' } as const;
const DEPOSIT = { asset: 'USDC', as: 'deposit' } as const;
const release = (shop: Shop, callId: string) => shop.chain.release({ callId, mode: 'test', now: 0, network: 'local' });

describe('reservations and sends', () => {
  it.each([
    ['of the stock', { tokens: '100' }],
    ['of the day', { tokens: '1000', wallet: { maxPerDay: { USDC: '100' } } }],
    ['of the stock above the floor', { tokens: '150', wallet: { floor: { USDC: '50' } } }],
  ] satisfies [string, ShopOptions][])('of many processes never exceed what is left %s', async (_, options) => {
    for (let round = 0; round < runs(1, 5); round += 1) {
      const shop = await world.shop(options);
      const processes = [shop, shop.another(), shop.another(), shop.another()];
      const orders = Array.from({ length: 12 }, (_, at) => order(`r_${at}`, '30'));
      const results = await Promise.all(orders.map((one, at) => (processes[at % 4] ?? shop).chain.reserve(one)));
      const held = orders.filter((_, at) => results[at]?.kind === 'reserved');
      expect(held).toHaveLength(3);
      expect(await shop.chain.deliverable('local', 'USDC')).toBe('10');
      // Sends move the amounts from reserved to signed, without a moment in which they count twice or not at all.
      await Promise.all(
        held.map(async (one, at) => {
          await (processes[at % 4] ?? shop).chain.send(one);
          expect(await (processes[(at + 1) % 4] ?? shop).chain.reserve(order(`more_${at}`, '30'))).toMatchObject({
            kind: 'refused',
            failure: { code: 'limit_exceeded', retryable: true },
          });
        }),
      );
      for (const { callId } of held) await shop.settle(callId);
      expect(await shop.chain.deliverable('local', 'USDC')).toBe('10');
    }
  });

  it('without a reservation do not take what is reserved for others', async () => {
    const shop = await world.shop({ tokens: '100' });
    await shop.chain.reserve(order('held', '70'));
    await shop.chain.send(order('other', '40'));
    shop.pass(5_000);
    await shop.chain.work();
    expect(await shop.chain.lookupSend({ callId: 'other', mode: 'test', now: 0 })).toMatchObject({ hash: null });
    expect(shop.alarms.map(({ name }) => name)).toEqual(['wallet_unfunded']);
    await release(shop, 'held');
    await shop.settle('other');
    await world.mine();
    shop.pass(5_000);
    await shop.chain.unavailable('local', SEND);
    expect(shop.cleared).toMatchObject([{ name: 'wallet_unfunded', fields: { asset: 'USDC' } }]);
  });

  it('with a reservation are not refused for a limit that was lowered since', async () => {
    const shop = await world.shop({ wallet: { maxPerSend: { USDC: '100' }, maxPerDay: { USDC: '100' } } });
    const reserved = order('held', '80');
    await shop.chain.reserve(reserved);
    const strict = shop.another({ wallet: { maxPerSend: { USDC: '10' }, maxPerDay: { USDC: '10' } } });
    await strict.chain.send(reserved);
    await strict.settle('held');
    expect(await world.token.transfersTo(reserved.to)).toBe(1);
  });

  it('of coins leave the gas of the other reservations', async () => {
    const shop = await world.shop({ coins: '1' });
    const whole = Number(await shop.chain.deliverable('local', 'ETH'));
    await shop.chain.reserve(order('token', '5'));
    expect(Number(await shop.chain.deliverable('local', 'ETH'))).toBeLessThan(whole);
    expect(await shop.chain.reserve(order('coins', '1', 'ETH'))).toMatchObject({ kind: 'refused' });
    const rest = order('rest', await shop.chain.deliverable('local', 'ETH').then(String), 'ETH');
    expect(await shop.chain.reserve(rest)).toEqual({ kind: 'reserved' });
    // Its gas would be taken from the coins that are reserved.
    expect(await shop.chain.reserve(order('more', '5'))).toMatchObject({ kind: 'refused' });
  });
});

describe('nothing is reserved, and deliveries are unavailable,', () => {
  /** Both say so, and the refusal can be tried again. */
  async function expectClosed(shop: Shop, reason: RegExp): Promise<void> {
    expect(await shop.chain.reserve(order('r_1', '10'))).toMatchObject({
      kind: 'refused',
      failure: { code: 'settlement_error', retryable: true },
    });
    expect(await shop.chain.unavailable('local', SEND)).toMatch(reason);
    expect(await shop.chain.deliverable('local', 'USDC')).toBe('0');
    expect(await shop.chain.reserve(order('r_1', '10'))).toMatchObject({ kind: 'refused' });
  }

  it('on a chain whose newest block is old; deposits too', async () => {
    const shop = await world.shop();
    shop.pass(400_000);
    await expectClosed(shop, /no new block since/);
    expect(await shop.chain.unavailable('local', DEPOSIT)).toMatch(/no new block since/);
    expect(shop.alarms.map(({ name }) => name)).toEqual(['chain_halted']);
    await world.mine();
    shop.pass(10_000);
    for (const use of [SEND, DEPOSIT]) expect(await shop.chain.unavailable('local', use)).toBeNull();
    expect(shop.cleared.map(({ name }) => name)).toEqual(['chain_halted']);
    const patient = shop.another({ network: { headMaxAgeMs: 7_200_000 } });
    shop.pass(3_600_000);
    expect(await patient.chain.unavailable('local', SEND)).toBeNull();
  });

  it('while the RPC does not answer', async () => {
    const shop = await world.shop();
    const transport = throughLiar(world.anvil, () => Promise.reject(new TypeError('fetch failed')));
    await expectClosed(shop.another({ network: { transport } }), /does not answer/);
  });

  it('while the wallet is paused, or has no gas; deposits need neither', async () => {
    const paused = await world.shop();
    await paused.chain.pauseWallet('local', 'Rotation');
    await expectClosed(paused, /paused: Rotation/);
    const dry = await world.shop({ coins: '0', tokens: '100' });
    await expectClosed(dry, /too little ETH/);
    const empty = await world.shop({ tokens: '0' });
    expect(await empty.chain.unavailable('local', SEND)).toMatch(/holds no USDC/);
    for (const shop of [paused, dry, empty]) expect(await shop.chain.unavailable('local', DEPOSIT)).toBeNull();
  });

  describe('for a token', () => {
    let token: Token;
    async function shopWithToken(): Promise<Shop> {
      const shop = await world.shop({ tokens: '0' });
      token = await world.deployToken(6, 0);
      await world.pay({ to: token.address, data: token.data('mint', shop.wallet, 100_000_000n) });
      await world.mine();
      const own = shop.another({ network: { tokens: [{ asset: 'USDC', address: token.address, decimals: 6 }] } });
      expect(await own.chain.unavailable('local', SEND)).toBeNull();
      return own;
    }

    it('that its issuer paused since the last check', async () => {
      const shop = await shopWithToken();
      await world.pay({ to: token.address, data: token.data('pause', true) });
      await world.mine();
      await expectClosed(shop, /cannot be transferred now/);
      expect(shop.alarms.map(({ name }) => name)).toEqual(['token_transfer_reverts']);
      await world.pay({ to: token.address, data: token.data('pause', false) });
      await world.mine();
      shop.pass(15_000);
      expect(await shop.chain.unavailable('local', SEND)).toBeNull();
    });

    it('that began to take a fee since the last check', async () => {
      const shop = await shopWithToken();
      await takeFee(token);
      await expectClosed(shop, /takes a fee/);
      expect(shop.alarms.map(({ name }) => name)).toEqual(['token_fee_on_transfer']);
    });

    it('that refuses the receiver, which is open to other receivers', async () => {
      const shop = await shopWithToken();
      const refused = order('r_1', '10');
      await world.pay({ to: token.address, data: token.data('refuse', refused.to) });
      await world.mine();
      expect(await shop.chain.reserve(refused)).toMatchObject({ kind: 'refused' });
      expect(await shop.chain.reserve(order('r_2', '10'))).toEqual({ kind: 'reserved' });
    });

    it('of which a send arrived in part, until the wallet is resumed; the send needs an operator', async () => {
      const shop = await shopWithToken();
      const one = order('send_1', '10');
      await shop.chain.send(one);
      await takeFee(token);
      for (let block = 0; block < 5; block += 1) {
        await world.mine();
        shop.pass(2_000);
        await shop.chain.work();
      }
      expect(await token.balanceOf(one.to)).toBe(9_900_000n);
      expect(await shop.chain.send(one)).toMatchObject({
        kind: 'sending',
        problem: expect.stringMatching(/9.9 arrived/),
      });
      expect(shop.alarms.filter(({ name }) => name === 'send_without_transfer')).toHaveLength(1);
      await takeFee(token, 0);
      shop.pass(120_000);
      await world.mine();
      expect(await shop.another().chain.unavailable('local', SEND)).toMatch(/arrived in part/);
      await shop.chain.resumeWallet('local', 'The issuer removed the fee');
      expect(await shop.chain.unavailable('local', SEND)).toBeNull();
    });
  });
});

/** The second variable of the contract is its fee. */
async function takeFee(token: Token, bps = 100): Promise<void> {
  await world.anvil.request('anvil_setStorageAt', token.address, '0x1', `0x${bps.toString(16).padStart(64, '0')}`);
}

describe('the limit of a day', () => {
  it('holds for processes whose clocks differ around midnight', async () => {
    const shop = await world.shop({ wallet: { maxPerDay: { USDC: '100' } } });
    const late = shop.another({ clockMs: -40_000 });
    const toMidnight = 86_400_000 - (Date.now() % 86_400_000);
    shop.pass(toMidnight + 20_000);
    await world.mine();
    for (let round = 0; round < 9; round += 1)
      await (round % 2 === 0 ? shop : late).chain.send(order(`send_${round}`, '100'));
    expect((await shop.chain.wallets())[0]).toMatchObject({ nextNonce: 1, spentToday: { USDC: '100' } });
    expect((await late.chain.wallets())[0]).toMatchObject({ spentToday: { USDC: '100' } });
  });

  it('follows the clock of the store, where it has one', async () => {
    let storeNow = Date.UTC(2030, 0, 1, 12);
    const first = await world.shop({ wallet: { maxPerDay: { USDC: '100' } } });
    const shop = first.another({ store: { ...first.store, now: async () => storeNow } });
    expect(await shop.chain.send(order('send_1', '100'))).toMatchObject({ kind: 'sending' });
    expect(await shop.chain.reserve(order('r_1', '1'))).toMatchObject({ kind: 'refused' });
    storeNow += 86_400_000;
    expect(await shop.chain.reserve(order('r_2', '100'))).toEqual({ kind: 'reserved' });
    expect(await shop.chain.reserve(order('r_3', '1'))).toMatchObject({ kind: 'refused' });
  });
});

describe('alarms', () => {
  it('are raised and cleared once for a lasting condition, however many purchases meet it', async () => {
    const shop = await world.shop({ tokens: '5' });
    for (let purchase = 0; purchase < 5; purchase += 1) {
      await shop.chain.reserve(order(`r_${purchase}`, '10'));
      await shop.chain.send(order(`send_${purchase}`, '10'));
      await shop.chain.unavailable('local', SEND);
      shop.pass(3_000);
      await world.mine();
      await shop.chain.work();
    }
    expect(shop.alarms).toMatchObject([{ name: 'wallet_unfunded', fields: { asset: 'USDC' } }]);
    await world.pay({ to: world.token.address, data: world.token.data('mint', shop.wallet, 100_000_000n) });
    for (let purchase = 0; purchase < 5; purchase += 1) await shop.settle(`send_${purchase}`);
    shop.pass(660_000);
    await world.mine();
    await shop.chain.unavailable('local', SEND);
    expect(shop.alarms).toHaveLength(1);
    expect(shop.cleared).toMatchObject([{ name: 'wallet_unfunded', fields: { count: expect.any(Number) } }]);
  });

  it('about the floor do not flap while the balance moves around it', async () => {
    const shop = await world.shop({ tokens: '99', wallet: { floor: { USDC: '100' } } });
    for (let round = 0; round < 4; round += 1) {
      await shop.chain.unavailable('local', SEND);
      await world.pay({ to: world.token.address, data: world.token.data('mint', shop.wallet, 2_000_000n) });
      await world.mine();
      shop.pass(6_000);
    }
    expect(shop.alarms.map(({ name }) => name)).toEqual(['wallet_below_floor']);
    await world.pay({ to: shop.wallet, value: parseEther('1') });
  });
});
