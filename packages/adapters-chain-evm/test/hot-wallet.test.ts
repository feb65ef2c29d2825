import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { compileSolidity } from '../../../tests/services/solidity.js';
import { EVM_NETWORKS, evmChain } from '../src/index.js';
import { BUYER, contractPath, orderOf, startWorld, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

describe('the hot wallet', () => {
  it('is available when it is funded, and serves what is configured', async () => {
    const shop = await world.shop();
    expect(await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toBeNull();
    expect(shop.chain.networks[0]).toMatchObject({
      network: 'local',
      confirmations: 3,
      assets: [{ asset: 'USDC' }, { asset: 'ETH' }],
    });
  });

  it('refuses for good what is above the limit of a send, and holds what is above the rest of the day until the next', async () => {
    const shop = await world.shop({ wallet: { maxPerSend: { USDC: '50' }, maxPerDay: { USDC: '80' } } });
    expect(await shop.chain.send(orderOf({ amount: '50.01' }))).toMatchObject({
      kind: 'refused',
      failure: { code: 'limit_exceeded' },
    });
    expect(await shop.chain.send(orderOf({ amount: '1' }))).toMatchObject({ kind: 'refused' });
    await shop.chain.send(orderOf({ callId: 'send_2', amount: '50' }));
    expect(shop.alarms.map(({ name }) => name)).toEqual(['wallet_limit_reached']);
    expect(await shop.chain.send(orderOf({ callId: 'send_3', amount: '40' }))).toMatchObject({
      kind: 'sending',
      hash: null,
    });
    await shop.chain.send(orderOf({ callId: 'send_4', amount: '30' }));
    expect(await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toMatch(/daily limit/);
    expect(shop.alarms.map(({ name }) => name)).toContain('wallet_limit_reached');
    expect((await shop.chain.wallets())[0]).toMatchObject({ nextNonce: 2, spentToday: { USDC: '80' } });
    shop.pass(86_400_000);
    await world.mine();
    expect(await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toBeNull();
    expect(shop.alarms.map(({ name }) => name)).toEqual(['wallet_limit_reached']);
    await shop.settle('send_3');
    expect((await shop.chain.wallets())[0]).toMatchObject({ nextNonce: 3, spentToday: { USDC: '40' } });
  });

  it('refuses for good what no day has room for', async () => {
    const shop = await world.shop({ wallet: { maxPerDay: { USDC: '80' } } });
    expect(await shop.chain.send(orderOf({ amount: '80.01' }))).toMatchObject({
      kind: 'refused',
      failure: { code: 'limit_exceeded' },
    });
    expect(shop.alarms.map(({ name }) => name)).toEqual(['wallet_limit_reached']);
  });

  it.each([
    ['an asset that is not configured', { asset: 'DOGE' }, 'settlement_error'],
    ['more decimals than the token has', { amount: '1.0000001' }, 'settlement_error'],
    ['an exponent', { amount: '1e3' }, 'settlement_error'],
    ['nothing', { amount: '0.00' }, 'settlement_error'],
    ['a wrong checksum', { to: '0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }, 'wallet_address_invalid'],
    ['the zero address', { to: `0x${'0'.repeat(40)}` }, 'wallet_address_invalid'],
  ])('refuses %s', async (_, extra, code) => {
    const shop = await world.shop();
    expect(await shop.chain.send(orderOf(extra))).toMatchObject({ kind: 'refused', failure: { code } });
    expect((await shop.chain.wallets())[0]).toMatchObject({ nextNonce: null });
  });

  it('signs nothing while it is paused, and goes on after it is resumed', async () => {
    const shop = await world.shop();
    await shop.chain.pauseWallet('local', 'Key rotation');
    expect(await shop.another().chain.unavailable('local', { asset: 'USDC', as: 'send' })).toBe(
      'The wallet is paused: Key rotation',
    );
    expect(await shop.chain.send(orderOf())).toMatchObject({ kind: 'sending', hash: null });
    shop.pass(5_000);
    await shop.chain.work();
    expect((await shop.chain.wallets())[0]).toMatchObject({ status: 'paused', nextNonce: 0 });
    await shop.chain.resumeWallet('local', 'Rotated');
    expect((await shop.chain.wallets())[0]?.history).toMatchObject([
      { to: 'paused', by: 'operator', reason: 'Key rotation' },
      { to: 'active', by: 'operator', reason: 'Rotated' },
    ]);
    expect(await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toBeNull();
    await shop.settle('send_1');
  });

  it('without funds is unavailable, holds orders, and recovers within 30 s of being funded', async () => {
    const shop = await world.shop({ tokens: '0' });
    expect(await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toBe('The wallet holds no USDC.');
    expect(await shop.chain.unavailable('local', { asset: 'ETH', as: 'send' })).toBeNull();
    expect(shop.alarms.map(({ name }) => name)).toEqual(['wallet_unfunded']);
    expect(await shop.chain.send(orderOf())).toMatchObject({ kind: 'sending', hash: null });
    await world.pay({ to: world.token.address, data: world.token.data('mint', shop.wallet, 100_000_000n) });
    await world.mine();
    shop.pass(30_000);
    expect(await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toBeNull();
    await shop.settle('send_1');
  });

  it('without gas, on another chain, or with gas above the ceiling is unavailable and signs nothing', async () => {
    const shop = await world.shop({ coins: '0' });
    expect(await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toMatch(/too little ETH for gas/);
    await world.pay({ to: shop.wallet, value: parseEther('1') });
    await world.mine();
    const elsewhere = shop.another({ network: { chainId: 8453 } });
    expect(await elsewhere.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toBe(
      'The RPC serves chain 31337, and local is chain 8453.',
    );
    const thrifty = shop.another({ network: { gasCeilingGwei: '0.000001' } });
    expect(await thrifty.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toMatch(/ceiling/);
    for (const { chain } of [elsewhere, thrifty])
      expect(await chain.send(orderOf())).toMatchObject({ kind: 'sending', hash: null });
    const names = shop.alarms.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['chain_id_mismatch', 'gas_ceiling']));
  });

  it('is unavailable for a token with other decimals, without a contract, or with a fee on transfers', async () => {
    const feeToken = await world.deployToken(6, 100);
    const shop = await world.shop();
    await world.pay({ to: feeToken.address, data: feeToken.data('mint', shop.wallet, 1_000_000_000n) });
    await world.mine();
    const unavailable = (address: `0x${string}`, decimals: number) =>
      shop
        .another({ network: { tokens: [{ asset: 'USDC', address, decimals }] } })
        .chain.unavailable('local', { asset: 'USDC', as: 'send' });
    expect(await unavailable(world.token.address, 18)).toBe('USDC has 6 decimals, and 18 are configured.');
    expect(await unavailable(BUYER, 6)).toMatch(/There is no token USDC/);
    expect(await unavailable(feeToken.address, 6)).toBe('USDC takes a fee on every transfer.');
    expect(shop.alarms.map(({ name }) => name)).toContain('token_fee_on_transfer');
  });

  it('warns below its floor', async () => {
    const shop = await world.shop({ wallet: { floor: { USDC: '5000' } } });
    await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' });
    expect(shop.alarms).toMatchObject([{ name: 'wallet_below_floor', fields: { asset: 'USDC', balance: '1000' } }]);
  });

  it('never shows its key in rows or alarms', async () => {
    const shop = await world.shop();
    await shop.chain.send(orderOf());
    await shop.settle('send_1');
    const rows = [
      await shop.store.load('evm_send', 'send_1'),
      ...(await shop.store.list({ kind: 'evm_wallet', after: null, limit: 9 })),
    ];
    expect(JSON.stringify([rows, shop.alarms])).not.toContain(shop.key.slice(2));
  });

  it('is refused when its key is for another address, and so are networks that contradict each other', () => {
    const account = privateKeyToAccount(`0x${'1'.repeat(64)}`);
    const options = { networks: [world.network()], wallet: { account }, store: {} as never };
    expect(() => evmChain({ ...options, wallet: { account, address: BUYER } })).toThrow(/key belongs to/);
    expect(() => evmChain({ ...options, networks: [world.network(), world.network()] })).toThrow(/once/);
    expect(() => evmChain({ ...options, wallet: { account, maxPerSend: { USDC: '1e5' } } })).toThrow(/not an amount/);
  });
});

it('the probe in the source is the compiled contract', async () => {
  const { deployedBytecode } = await compileSolidity(contractPath('transfer-probe.sol'));
  expect(readFileSync(join(import.meta.dirname, '../src/token-check.ts'), 'utf8')).toContain(deployedBytecode);
});

it('every network of the list has checksummed addresses and one entry for each asset', () => {
  for (const network of Object.values(EVM_NETWORKS)) {
    const chain = evmChain({
      networks: [{ ...world.network(), ...network }],
      wallet: { account: privateKeyToAccount(`0x${'1'.repeat(64)}`) },
      store: {} as never,
    });
    for (const { address } of network.tokens)
      expect(chain.addressProblem(network.network, address)).toMatch(/address of a token contract/);
  }
});
