import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createWalletClient, defineChain, http, nonceManager, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, HDKey, privateKeyToAccount } from 'viem/accounts';
import { evmChain } from '@gateramp/adapters-chain-evm';
import { memoryLegsStore } from '@gateramp/provider-legs';
import { startAnvil } from '../../tests/services/anvil.ts';
import { compileSolidity } from '../../tests/services/solidity.ts';
import { compare } from '../lib/compare.mjs';

const TOKEN = join(import.meta.dirname, '../../packages/adapters-chain-evm/test/contracts/test-token.sol');
/** The first account of anvil's published mnemonic. */
const FAUCET = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const CHAIN_ID = 31_337;
const SENDS = 300;
const AT_ONCE = 16;
const SENDS_AT_LEAST = 0.8;
const BLOCK_MS = 1_000;
const DEPOSITS = 40;
const CONFIRMATIONS = 3;
/** The block times from the first block to the last required one, and one more for polling. */
const CREDITED_WITHIN_BLOCKS = CONFIRMATIONS;
const POLL_MS = 50;

/** The chain leg on a node: sends of one wallet, and the time until deposits are credited. */
export async function benchChain({ rounds }) {
  const anvil = await startAnvil(['--block-time', String(BLOCK_MS / 1_000)]);
  try {
    const node = await openNode(anvil);
    const sends = await compare({
      title: 'Legs: sends of one wallet, against a viem loop',
      rounds,
      baseline: () => sendsByViem(node),
      ours: () => sendsByLeg(node),
      atLeast: SENDS_AT_LEAST,
      aim: 1,
    });
    return [sends, await deposits(node)];
  } finally {
    await anvil.stop();
  }
}

async function openNode(anvil) {
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [anvil.url] } },
  });
  const { abi, bytecode } = await compileSolidity(TOKEN);
  const faucet = createWalletClient({ account: FAUCET, chain, transport: http(anvil.url) });
  const mined = async (hash) => {
    for (;;) {
      const receipt = await anvil.request('eth_getTransactionReceipt', hash);
      if (receipt !== null) return receipt;
      await wait(POLL_MS);
    }
  };
  const { contractAddress: address } = await mined(await faucet.deployContract({ abi, bytecode, args: [6, 0] }));
  const mint = async (to) =>
    mined(await faucet.writeContract({ address, abi, functionName: 'mint', args: [to, parseUnits('1000000', 6)] }));
  const balanceOf = async (to) => {
    const data = `0x70a08231${to.slice(2).toLowerCase().padStart(64, '0')}`;
    return BigInt(await anvil.request('eth_call', { to: address, data }, 'latest'));
  };
  const wallet = async () => {
    const key = generatePrivateKey();
    const account = privateKeyToAccount(key, { nonceManager });
    await mined(await faucet.sendTransaction({ to: account.address, value: parseEther('100') }));
    await mint(account.address);
    return account;
  };
  return { anvil, chain, abi, address, faucet, mint, mined, balanceOf, wallet };
}

/** The baseline: `writeContract` with viem's nonce manager, without persistence. */
async function sendsByViem({ anvil, chain, abi, address, wallet, balanceOf }) {
  const account = await wallet();
  const client = createWalletClient({ account, chain, transport: http(anvil.url) });
  const to = privateKeyToAccount(generatePrivateKey()).address;
  return timedSends(
    () => client.writeContract({ address, abi, functionName: 'transfer', args: [to, 1n] }),
    async () => (await balanceOf(to)) === BigInt(SENDS),
  );
}

async function sendsByLeg(node) {
  const { wallet, balanceOf } = node;
  const account = await wallet();
  const leg = evmChain({ networks: [networkOf(node)], wallet: { account }, store: memoryLegsStore() });
  leg.start();
  const to = privateKeyToAccount(generatePrivateKey()).address;
  let sends = 0;
  const order = () => ({
    callId: `send_${(sends += 1)}`,
    mode: 'test',
    now: Date.now(),
    network: 'local',
    asset: 'USDC',
  });
  const run = await timedSends(
    () => leg.send({ ...order(), amount: '0.000001', to }),
    async () => (await balanceOf(to)) === BigInt(SENDS),
  );
  await leg.stop();
  return run;
}

function networkOf({ anvil, address }) {
  return {
    ...{ network: 'local', displayName: 'Local', chainId: CHAIN_ID, fees: 'eip1559', native: 'ETH', txUrl: null },
    ...{ confirmations: CONFIRMATIONS, finalityDepth: 64, pollMs: 200, inFlightMax: SENDS },
    tokens: [{ asset: 'USDC', address, decimals: 6 }],
    transport: http(anvil.url),
  };
}

/** Measures sends, and waits until the last one is in a block. */
async function timedSends(send, isDone) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const times = [];
  let left = SENDS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1;
        const asked = performance.now();
        await send();
        times.push(performance.now() - asked);
      }
    }),
  );
  const sent = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  while (!(await isDone())) await wait(POLL_MS);
  if (performance.now() - sent > 10 * BLOCK_MS) throw new Error('Sends stayed out of the blocks.');
  const p99 = times.toSorted((a, b) => a - b)[Math.ceil(SENDS * 0.99) - 1];
  return {
    perSecond: (SENDS / (sent - began)) * 1_000,
    p99,
    cpu: { server: Math.round((user + system) / SENDS), database: 0 },
  };
}

/** Measures the time from the first sight of a deposit until it is credited. */
async function deposits(node) {
  const { faucet, abi, address, wallet } = node;
  const xpub = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/60'/0'").publicExtendedKey;
  const leg = evmChain({
    networks: [networkOf(node)],
    wallet: { account: await wallet() },
    deposits: { xpub },
    store: memoryLegsStore(),
  });
  leg.start();
  const call = { callId: 'sale', mode: 'test', now: Date.now(), network: 'local' };
  const { address: to } = await leg.depositAddress(call);
  const seen = new Map();
  const credited = new Map();
  const paying = (async () => {
    for (let nth = 0; nth < DEPOSITS; nth += 1) {
      await faucet.writeContract({ address, abi, functionName: 'mint', args: [to, 1_000_000n] });
      await wait(BLOCK_MS * 0.37);
    }
  })();
  while (credited.size < DEPOSITS) {
    const now = performance.now();
    for (const { hash, seen: depth, required } of await leg.deposits(call)) {
      if (!seen.has(hash)) seen.set(hash, now);
      if (depth >= required && !credited.has(hash)) credited.set(hash, now);
    }
    await wait(POLL_MS);
  }
  await paying;
  await leg.stop();
  const waits = [...credited].map(([hash, at]) => (at - seen.get(hash)) / BLOCK_MS).toSorted((a, b) => a - b);
  const p99 = waits[Math.ceil(waits.length * 0.99) - 1];
  const passed = p99 <= CREDITED_WITHIN_BLOCKS;
  process.stdout.write(
    `${passed ? 'ok  ' : 'MISS'} Legs: a deposit from seen to credited, p99: ${p99.toFixed(2)} block times (at most ${CREDITED_WITHIN_BLOCKS}; ${CONFIRMATIONS} confirmations)\n`,
  );
  return { title: 'Legs: deposits', passed };
}
