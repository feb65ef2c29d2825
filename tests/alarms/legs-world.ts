import { createServer } from 'node:http';
import { encodeFunctionData, parseAbi, type Address, type Hex } from 'viem';
import { onTestFinished, vi } from 'vitest';
import { localChain, type LocalChain } from '../../tools/demo-chain/local-chain.js';
import { openCheckout, PURCHASE, SALE, TEST_CARD, until, withLegs } from '../legs/checkout.js';
import { startReferenceServer, type ReferenceServer } from '../services/reference-server.js';
import type { Scene } from './scene.js';

type Settings = Readonly<Record<string, string>>;

interface LegsFile {
  readonly exchange: object;
  readonly chain: { readonly wallet: object; readonly networks: readonly object[] };
}

/** An account of anvil with coins, which signs for everyone. */
export const FAUCET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** The address for which the leg tries a transfer that was refused, to learn whether the receiver is the cause. */
export const OTHER_RECEIVER = '0x00000000000000000000000067617465726D7001';
export const TOKEN_ABI = parseAbi(['function refuse(address)', 'function mint(address,uint256)']);
/** Past the depth at which the server takes a block for final. */
export const FINAL = 70;

export async function startChain(): Promise<LocalChain> {
  const chain = await localChain();
  onTestFinished(chain.stop);
  return chain;
}

export async function watched(scene: Scene, settings: Settings): Promise<ReferenceServer> {
  const server = await startReferenceServer({ settings });
  scene.watch(server.origins.ops);
  return server;
}

export const changed = (chain: LocalChain, change: (legs: LegsFile) => object): Settings =>
  withLegs(chain, (file) => JSON.stringify(change(JSON.parse(file) as LegsFile)));
export const withNetwork = (chain: LocalChain, members: object): Settings =>
  changed(chain, (legs) => ({
    ...legs,
    chain: { ...legs.chain, networks: legs.chain.networks.map((network) => ({ ...network, ...members })) },
  }));
export const withWallet = (chain: LocalChain, members: object): Settings =>
  changed(chain, (legs) => ({ ...legs, chain: { ...legs.chain, wallet: { ...legs.chain.wallet, ...members } } }));

export const mine = ({ anvil }: LocalChain, blocks = 1) => anvil.request('anvil_mine', `0x${blocks.toString(16)}`);
export const stopMining = ({ anvil }: LocalChain) => anvil.request('evm_setIntervalMining', 0);

/** The number of blocks that a reorganization must replace to remove the mined transaction. */
export async function depthOf({ anvil }: LocalChain, hash: string): Promise<number> {
  const receipt = (await anvil.request('eth_getTransactionReceipt', hash)) as { readonly blockNumber: Hex };
  return Number(await anvil.request('eth_blockNumber')) - Number(receipt.blockNumber) + 1;
}

/** A transaction that is mined before any other. */
export const pay = ({ anvil }: LocalChain, to: Address | null, data: Hex) =>
  anvil.request('eth_sendTransaction', {
    from: FAUCET,
    ...(to === null ? {} : { to }),
    data,
    gas: '0x2dc6c0',
    maxFeePerGas: '0xe8d4a51000',
    maxPriorityFeePerGas: '0x174876e800',
  });
export const refuse = (chain: LocalChain, receiver: Address) =>
  pay(chain, chain.token, encodeFunctionData({ abi: TOKEN_ABI, functionName: 'refuse', args: [receiver] }));

export async function purchase(server: ReferenceServer) {
  const buyer = await openCheckout(server);
  const { id } = await buyer('POST', '/v1/embed/intents', { ...PURCHASE, payment_details: TEST_CARD });
  return { buyer, id };
}

/** A purchase whose transfer waits in the pool of the node. */
export async function pendingSend(scene: Scene, chain: LocalChain): Promise<void> {
  const server = await watched(scene, chain.environment);
  await scene.minutes(1);
  scene.begins();
  await stopMining(chain);
  await purchase(server);
  await until(async () => {
    const { pending } = (await chain.anvil.request('txpool_status')) as { readonly pending: string };
    return Number(pending) > 0 ? true : null;
  });
}

/** A sale with its deposit address. */
export async function sale(server: ReferenceServer, extra: object = {}) {
  const buyer = await openCheckout(server);
  const { id, next_action: asked } = await buyer('POST', '/v1/embed/intents', { ...SALE, ...extra });
  // An address of the network.
  const address = (asked?.address ?? '') as Address;
  return { buyer, id, address, amount: asked?.amount ?? '' };
}

/** Moves the clock of this process forward for the rest of the test. A mocked time stays where it is, so it is set again and again. */
export function shiftClock(ms: number): void {
  const [at, start] = [Date.now() + ms, performance.now()];
  const set = () => vi.setSystemTime(at + performance.now() - start);
  set();
  const timer = setInterval(set, 100);
  onTestFinished(() => {
    clearInterval(timer);
    vi.useRealTimers();
  });
}

/** Answers JSON-RPC like the chain does, except for requests for logs, which have no results by default. */
export async function hidingLogs(chain: LocalChain, answer: object = { result: [] }): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { method, id } = JSON.parse(body) as { readonly method: string; readonly id: number };
      response.setHeader('content-type', 'application/json');
      if (method === 'eth_getLogs') return void response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      const forward = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      fetch(chain.url, forward).then(
        async (result) => response.end(await result.text()),
        () => response.destroy(),
      );
    });
  });
  return listening(server);
}

export async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server has an address object.
  return `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`;
}
