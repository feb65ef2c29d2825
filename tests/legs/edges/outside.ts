import { decimal } from '@gateramp/core/domain';
import type { RawCallback } from '@gateramp/core/ports';
import {
  createWalletClient,
  defineChain,
  encodeFunctionData,
  formatUnits,
  type Hex,
  http,
  parseEther,
  parseUnits,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { contractPath } from '../../../packages/adapters-chain-evm/test/world.js';
import { FakeStripe } from '../../../packages/adapters-fiat-stripe/test/fake-stripe/fake-stripe.js';
import type { Chance } from '../../chaos/lib/chance.js';
import { startAnvil, type TestAnvil } from '../../services/anvil.js';
import { compileSolidity } from '../../services/solidity.js';
import { RpcProxy } from './rpc-proxy.js';
import { NETWORK } from './terms.js';

/** The first account of anvil's published mnemonic. */
const FAUCET = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** The chain, two RPC providers and Stripe: everything that the platform does not control. */
export class Outside {
  #unrecorded: { readonly id: string; readonly callback: RawCallback }[] = [];
  #read = 0;
  /** No blocks are made. */
  isHalted = false;

  private constructor(
    readonly anvil: TestAnvil,
    readonly rpc: RpcProxy,
    readonly otherRpc: RpcProxy,
    readonly stripe: FakeStripe,
    readonly token: Hex,
    private readonly abi: readonly unknown[],
    private readonly faucet: ReturnType<typeof faucetOf>,
  ) {}

  static async start(now: number): Promise<Outside> {
    const anvil = await startAnvil(['--no-mining', '--timestamp', String(Math.floor(now / 1_000) - 3_600)]);
    const faucet = faucetOf(anvil.url);
    const { abi, bytecode } = await compileSolidity(contractPath('test-token.sol'));
    const hash = await faucet.deployContract({ abi, bytecode, args: [6, 0], gas: 3_000_000n });
    await anvil.request('anvil_mine', '0x40');
    const receipt = (await anvil.request('eth_getTransactionReceipt', hash)) as { readonly contractAddress: Hex };
    const [rpc, otherRpc] = await Promise.all([RpcProxy.start(anvil.request), RpcProxy.start(anvil.request)]);
    return new Outside(anvil, rpc, otherRpc, await FakeStripe.start(), receipt.contractAddress, abi, faucet);
  }

  async stop(): Promise<void> {
    await Promise.all([this.rpc.stop(), this.otherRpc.stop(), this.stripe.stop(), this.anvil.stop()]);
  }

  /** Makes blocks up to this time, unless the chain is halted. */
  async mine(now: number, blocks = 1): Promise<void> {
    if (this.isHalted) return;
    for (let nth = blocks - 1; nth >= 0; nth -= 1) {
      const head = (await this.anvil.request('eth_getBlockByNumber', 'latest', false)) as { readonly timestamp: Hex };
      const at = Math.max(Number(head.timestamp) + 1, Math.floor(now / 1_000) - nth);
      await this.anvil.request('evm_setNextBlockTimestamp', at);
      await this.anvil.request('evm_mine');
    }
  }

  /** Replaces the newest block by an empty one. Its transactions are gone. */
  async reorganize(): Promise<void> {
    if (!this.isHalted) await this.anvil.request('anvil_reorg', 1, []);
  }

  async fund(wallet: Hex, amounts: { readonly coins: string; readonly tokens: string }): Promise<void> {
    await this.#send(wallet, parseEther(amounts.coins));
    await this.call('mint', wallet, parseUnits(amounts.tokens, 6));
  }

  /** Calls a function of the token as somebody who is not a partner of the platform. */
  async call(functionName: string, ...args: readonly unknown[]): Promise<void> {
    await this.#send(this.token, 0n, encodeFunctionData({ abi: this.abi, functionName, args }));
  }

  async payDeposit(address: Hex, amount: string): Promise<void> {
    await this.call('mint', address, parseUnits(amount, 6));
  }

  /** The webhooks that the platform has not recorded; Stripe repeats them. Some are lost for good. */
  webhooks(chance: Chance, lost: number) {
    const events = this.stripe.books.events.slice(this.#read);
    this.#read = this.stripe.books.events.length;
    const sent = events.filter(() => !chance.isHit(lost));
    this.#unrecorded.push(...sent.map((event) => ({ id: event.id, callback: this.stripe.callback(event) })));
    return this.#unrecorded;
  }

  recorded(id: string): void {
    this.#unrecorded = this.#unrecorded.filter((one) => one.id !== id);
  }

  /** Payments that a person could refund or cancel in the dashboard. */
  payments(status: 'requires_capture' | 'succeeded'): readonly string[] {
    return [...this.stripe.books.intents.values()].filter((one) => one.status === status).map(({ id }) => id);
  }

  /** The balance of the account at Stripe, in EUR. */
  stripeBalance(): string {
    const cents = this.stripe.books.balance.reduce((sum, { net }) => sum + net, 0);
    return decimal.normalise((cents / 100).toFixed(2));
  }

  /** What Stripe has taken for an operation and not given back, before fees, in EUR. */
  takenFor(operationId: string): string {
    const { books } = this.stripe;
    const ids = new Set(this.stripe.intentsOf(`${operationId}-authorize`).map(({ id }) => id));
    const cents = books.balance
      .filter((line) => {
        const source = books.sourceOf(line);
        return (
          source !== null &&
          typeof source === 'object' &&
          'payment_intent' in source &&
          ids.has(String(source.payment_intent))
        );
      })
      .reduce((sum, { amount }) => sum + amount, 0);
    return decimal.normalise((cents / 100).toFixed(2));
  }

  async tokensOf(owner: Hex): Promise<string> {
    const data = encodeFunctionData({ abi: this.abi, functionName: 'balanceOf', args: [owner] });
    const units = await this.anvil.request('eth_call', { to: this.token, data }, 'latest');
    return decimal.normalise(formatUnits(BigInt(units as Hex), 6));
  }

  async coinsOf(owner: Hex): Promise<string> {
    const units = await this.anvil.request('eth_getBalance', owner, 'latest');
    return decimal.normalise(formatUnits(BigInt(units as Hex), 18));
  }

  /** How many transfers of the token from the wallet reached each address. */
  async deliveries(wallet: Hex): Promise<ReadonlyMap<string, number>> {
    const topics = [TRANSFER, padded(wallet)];
    const logs = await this.anvil.request('eth_getLogs', {
      address: this.token,
      fromBlock: '0x0',
      toBlock: 'latest',
      topics,
    });
    const found = new Map<string, number>();
    for (const { topics: of } of logs as readonly { readonly topics: readonly string[] }[]) {
      const to = `0x${(of[2] ?? '').slice(-40)}`;
      found.set(to, (found.get(to) ?? 0) + 1);
    }
    return found;
  }

  async #send(to: Hex, value: bigint, data: Hex = '0x'): Promise<void> {
    const fees = { gas: 500_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
    await this.faucet.sendTransaction({ to, value, data, ...fees });
  }
}

const padded = (address: Hex) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

function faucetOf(url: string) {
  const chain = defineChain({
    id: NETWORK.chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  return createWalletClient({ account: FAUCET, chain, transport: http(url) });
}
