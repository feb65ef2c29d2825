import { join } from 'node:path';
import { type LegsStore, memoryLegsStore, type SendOrder } from '@gateramp/provider-legs';
import {
  type Abi,
  type Address,
  type Chain,
  createWalletClient,
  custom,
  defineChain,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  type PrivateKeyAccount,
  parseEther,
  parseUnits,
  type Transport,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import { startAnvil, type TestAnvil } from '../../../tests/services/anvil.js';
import { compileSolidity } from '../../../tests/services/solidity.js';
import { evmChain, type EvmChain, type EvmChainOptions, type EvmNetworkOptions } from '../src/index.js';

/** The first account of anvil's published mnemonic, which has coins on a new chain. */
const FAUCET = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
/** An address that only receives. */
export const BUYER = '0x1111111111111111111111111111111111111111' as const;
export const contractPath = (name: string) => join(import.meta.dirname, 'contracts', name);

/** A chain with a token, for the tests of one file. */
export interface World {
  readonly anvil: TestAnvil;
  readonly token: Token;
  mine(blocks?: number): Promise<void>;
  /** The options for a network on this chain, with those of the test. */
  network(extra?: Partial<EvmNetworkOptions>): EvmNetworkOptions;
  /** A chain leg with its own wallet, funded with coins and tokens. */
  shop(extra?: ShopOptions): Promise<Shop>;
  stop(): Promise<void>;
  /** Sends a transaction from an account with many coins. It is mined at once only if the chain mines automatically. */
  pay(transaction: { to: Address; value?: bigint; data?: Hex }): Promise<Hex>;
  deployToken(decimals: number, feeBps: number): Promise<Token>;
  /** Deploys a contract without arguments. */
  deploy(bytecode: Hex): Promise<Address>;
}

/** A deployed test token. */
export interface Token {
  readonly address: Address;
  data(functionName: string, ...args: readonly unknown[]): Hex;
  balanceOf(owner: string): Promise<bigint>;
  /** The number of transfers to the address. */
  transfersTo(to: string): Promise<number>;
  /** The amounts of the transfers to the address, in the token's smallest unit. */
  amountsTo(to: string): Promise<readonly bigint[]>;
}

/** The options of one shop. */
export interface ShopOptions {
  readonly store?: LegsStore;
  readonly network?: Partial<EvmNetworkOptions>;
  readonly wallet?: Partial<EvmChainOptions['wallet']>;
  readonly key?: Hex;
  readonly coins?: string;
  readonly tokens?: string;
  readonly deposits?: EvmChainOptions['deposits'];
  readonly worth?: EvmChainOptions['worth'];
  /** How far the clock of this process is ahead. */
  readonly clockMs?: number;
}

interface Raised {
  readonly name: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** A platform with its own wallet. */
export interface Shop {
  readonly chain: EvmChain;
  readonly store: LegsStore;
  readonly wallet: Address;
  readonly key: Hex;
  readonly account: PrivateKeyAccount;
  readonly alarms: Raised[];
  /** The ends of lasting conditions. */
  readonly cleared: Raised[];
  /** Advances this shop's clock. */
  pass(ms: number): void;
  /** Another process of the same platform, with the same store and key. */
  another(extra?: Pick<ShopOptions, 'network' | 'store' | 'wallet' | 'clockMs'>): Shop;
  /** Mines a block and runs a round of work until the send has ended. */
  settle(callId: string): Promise<void>;
}

export const orderOf = (extra: Partial<SendOrder> = {}): SendOrder => ({
  callId: 'send_1',
  mode: 'test',
  now: 0,
  amount: '10.00',
  asset: 'USDC',
  network: 'local',
  to: BUYER,
  ...extra,
});

export async function startWorld(args: readonly string[] = []): Promise<World> {
  const anvil = await startAnvil(args);
  const chainId = 31_337;
  const chain: Chain = defineChain({
    id: chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [anvil.url] } },
  });
  const faucet = createWalletClient({ account: FAUCET, chain, transport: http(anvil.url) });
  const { abi, bytecode } = await compileSolidity(contractPath('test-token.sol'));

  // The chain's clock follows the shop that is furthest ahead, so that new blocks are not old.
  const ahead = { wanted: 0, done: 0 };
  const mine = async (blocks = 1) => {
    const seconds = Math.ceil((ahead.wanted - ahead.done) / 1_000);
    if (seconds > 0) await anvil.request('evm_increaseTime', seconds);
    ahead.done += Math.max(0, seconds) * 1_000;
    await anvil.request('anvil_mine', `0x${blocks.toString(16)}`);
  };
  const pay: World['pay'] = async ({ to, value = 0n, data = '0x' }) => {
    const hash = await faucet.sendTransaction({
      to,
      value,
      data,
      gas: 1_000_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 11n,
    });
    return hash;
  };

  async function deployed(hash: Hex): Promise<Address> {
    await mine();
    const receipt = (await anvil.request('eth_getTransactionReceipt', hash)) as { contractAddress: Address };
    return getAddress(receipt.contractAddress);
  }

  async function deployToken(decimals: number, feeBps: number): Promise<Token> {
    const hash = await faucet.deployContract({ abi, bytecode, args: [decimals, feeBps], gas: 3_000_000n });
    return tokenAt(anvil, abi, await deployed(hash));
  }

  const deploy: World['deploy'] = async (code) =>
    deployed(await faucet.deployContract({ abi: [], bytecode: code, gas: 3_000_000n }));

  const token = await deployToken(6, 0);

  const network: World['network'] = (extra = {}) => ({
    network: 'local',
    displayName: 'Local',
    chainId,
    fees: 'eip1559',
    native: 'ETH',
    tokens: [{ asset: 'USDC', address: token.address, decimals: 6 }],
    confirmations: 3,
    finalityDepth: 8,
    txUrl: null,
    pollMs: 20,
    transport: http(anvil.url, { retryCount: 0 }),
    ...extra,
  });

  async function shop(options: ShopOptions = {}): Promise<Shop> {
    const key = options.key ?? generatePrivateKey();
    const { address } = privateKeyToAccount(key);
    if (options.coins !== '0') await pay({ to: address, value: parseEther(options.coins ?? '10') });
    if (options.tokens !== '0')
      await pay({ to: token.address, data: token.data('mint', address, parseUnits(options.tokens ?? '1000', 6)) });
    await mine();
    const clock = { shift: 0 };
    return shopOf({ ...options, key }, { clock, network, alarms: [], cleared: [] });
  }

  return { anvil, token, mine, network, shop, pay, deployToken, deploy, stop: anvil.stop };

  function shopOf(
    options: ShopOptions & { key: Hex },
    shared: { clock: { shift: number }; network: World['network'] } & Pick<Shop, 'alarms' | 'cleared'>,
  ): Shop {
    const store = options.store ?? memoryLegsStore();
    const account = privateKeyToAccount(options.key);
    const leg = evmChain({
      networks: [shared.network(options.network)],
      wallet: { account, ...options.wallet },
      ...(options.worth === undefined ? {} : { worth: options.worth }),
      store,
      alarm: (name, fields) => void shared.alarms.push({ name, fields }),
      cleared: (name, fields) => void shared.cleared.push({ name, fields }),
      now: () => Date.now() + shared.clock.shift + (options.clockMs ?? 0),
      ...(options.deposits === undefined ? {} : { deposits: options.deposits }),
    });
    const self: Shop = {
      chain: leg,
      store,
      wallet: account.address,
      key: options.key,
      account,
      alarms: shared.alarms,
      cleared: shared.cleared,
      pass: (ms) => {
        shared.clock.shift += ms;
        ahead.wanted = Math.max(ahead.wanted, shared.clock.shift);
      },
      another: (extra = {}) =>
        shopOf({ ...options, store, ...extra, network: { ...options.network, ...extra.network } }, shared),
      async settle(callId) {
        for (let round = 0; round < ROUNDS_MAX; round += 1) {
          const state = await leg.lookupSend({ callId, mode: 'test', now: 0 });
          if (state?.kind === 'confirmed' || state?.kind === 'refused') return;
          await mine();
          self.pass(2_000);
          await leg.work();
        }
        throw new Error(`${callId} did not end.`);
      },
    };
    return self;
  }
}

const ROUNDS_MAX = 40;

function tokenAt(anvil: TestAnvil, abi: Abi, address: Address): Token {
  const data: Token['data'] = (functionName, ...args) => encodeFunctionData({ abi, functionName, args });
  const amountsTo: Token['amountsTo'] = async (to) => {
    const topics = [TRANSFER, null, `0x${to.slice(2).toLowerCase().padStart(64, '0')}`];
    const logs = await anvil.request('eth_getLogs', { address, fromBlock: '0x0', toBlock: 'latest', topics });
    return (logs as readonly { readonly data: Hex }[]).map((log) => BigInt(log.data));
  };
  return {
    address,
    data,
    amountsTo,
    transfersTo: async (to) => (await amountsTo(to)).length,
    async balanceOf(owner) {
      return BigInt(
        (await anvil.request('eth_call', { to: address, data: data('balanceOf', owner) }, 'latest')) as Hex,
      );
    },
  };
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Answers JSON-RPC between the leg and the chain, and can falsify the chain's answers. */
export type Liar = (method: string, params: readonly unknown[], ask: TestAnvil['request']) => Promise<unknown>;

/** A transport to the chain through a liar. Errors of the chain keep their codes. */
export function throughLiar(anvil: TestAnvil, liar: Liar): Transport {
  const request = async ({ method, params = [] }: { method: string; params?: unknown }) =>
    liar(method, Array.isArray(params) ? params : [params], anvil.request);
  return custom({ request }, { retryCount: 0 });
}
