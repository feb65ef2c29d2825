import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWalletClient, defineChain, http, parseEther, parseUnits, type Address, type Hex } from 'viem';
import { generatePrivateKey, HDKey, privateKeyToAccount } from 'viem/accounts';
import { startAnvil, type TestAnvil } from '../../tests/services/anvil.js';
import { compileSolidity } from '../../tests/services/solidity.js';

/** A private chain with everything a shop needs on it, and the settings of a reference server that uses it. */
export interface LocalChain {
  readonly url: string;
  readonly chainId: number;
  readonly anvil: TestAnvil;
  readonly token: Address;
  /** The hot wallet, with coins for gas and tokens to sell. */
  readonly wallet: Address;
  readonly environment: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
  /** Sends tokens from a buyer's wallet. */
  readonly pay: (to: Address, amount: string) => Promise<Hex>;
  readonly balanceOf: (owner: Address) => Promise<bigint>;
}

const CHAIN_ID = 31_337;
const DECIMALS = 6;
/** The first account of anvil's public mnemonic, which holds the coins of a new chain. */
const FAUCET_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const TOKEN_FILE = join(import.meta.dirname, '../../packages/adapters-chain-evm/test/contracts/test-token.sol');

/** Starts the chain with a block a second, deploys the token, and funds a hot wallet whose key exists only in this process. */
export async function localChain(): Promise<LocalChain> {
  const anvil = await startAnvil(['--block-time', '1']);
  const { url } = anvil;
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const faucet = createWalletClient({ account: privateKeyToAccount(FAUCET_KEY), chain, transport: http(url) });
  const { abi, bytecode } = await compileSolidity(TOKEN_FILE);
  const deployed = await mined(anvil, await faucet.deployContract({ abi, bytecode, args: [DECIMALS, 0] }));
  const token = deployed.contractAddress;
  const key = generatePrivateKey();
  const wallet = privateKeyToAccount(key).address;
  const units = (amount: string) => parseUnits(amount, DECIMALS);
  const call = (functionName: string, ...args: readonly unknown[]) =>
    faucet.writeContract({ address: token, abi, functionName, args });
  await mined(anvil, await faucet.sendTransaction({ to: wallet, value: parseEther('100') }));
  await mined(anvil, await call('mint', wallet, units('1000000')));
  await mined(anvil, await call('mint', faucet.account.address, units('1000000')));

  const folder = mkdtempSync(join(tmpdir(), 'gate-demo-chain-'));
  const legsFile = join(folder, 'legs.json');
  writeFileSync(legsFile, JSON.stringify(legsOf(url, token), null, 2));
  return {
    url,
    chainId: CHAIN_ID,
    anvil,
    token,
    wallet,
    environment: { GATE_LEGS_FILE: legsFile, GATE_WALLET_KEY: key, GATE_DEPOSIT_XPUB: accountKey() },
    stop: async () => {
      await anvil.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    pay: (to, amount) => call('transfer', to, units(amount)),
    async balanceOf(owner) {
      const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`;
      return BigInt(String(await anvil.request('eth_call', { to: token, data }, 'latest')));
    },
  };
}

/** The content of `GATE_LEGS_FILE`: test cards, a fixed price, and this chain as the network base. */
function legsOf(url: string, token: Address) {
  return {
    modes: ['test'],
    fiat: { type: 'fake' },
    exchange: { type: 'fixed_spread', spread_bps: 50, prices: { 'USDC/EUR': '0.92', 'USDC/USD': '1.00' } },
    chain: {
      type: 'evm',
      wallet: { private_key_env: 'GATE_WALLET_KEY', max_per_send: { USDC: '20000' }, max_per_day: { USDC: '100000' } },
      deposits: { xpub_env: 'GATE_DEPOSIT_XPUB' },
      networks: [
        {
          network: 'base',
          display_name: 'Base (local)',
          chain_id: CHAIN_ID,
          rpc_urls: [url],
          confirmations: 3,
          native: 'ETH',
          tokens: [{ asset: 'USDC', address: token, decimals: DECIMALS }],
          network_fees: { USDC: { EUR: '0.05', USD: '0.05' } },
        },
      ],
    },
  };
}

/** The extended public key of a new account; its private key is discarded, since deposits of the demo are not collected. */
function accountKey(): string {
  return HDKey.fromMasterSeed(randomBytes(32)).derive("m/44'/60'/0'").publicExtendedKey;
}

/** Waits until the transaction is in a block. */
async function mined(anvil: TestAnvil, hash: Hex): Promise<{ readonly contractAddress: Address }> {
  for (;;) {
    const receipt = await anvil.request('eth_getTransactionReceipt', hash);
    if (receipt !== null) return receipt as { readonly contractAddress: Address };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
