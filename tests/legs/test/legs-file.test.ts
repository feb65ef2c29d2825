import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { findOperation, memoryLegsStore, type SendResult } from '@gateramp/provider-legs';
import { expect, onTestFinished, test } from 'vitest';
import { readLegs } from '../../../apps/reference-server/src/legs/legs-file.js';
import { openLegs, type OpenLegs } from '../../../apps/reference-server/src/legs/open-legs.js';
import { answered, REFUND_ADDRESS, sell } from '../../../packages/provider-legs/test/world.js';
import { BUYER, until, useLocalChain } from '../checkout.js';

const chain = useLocalChain();

/** The first account of anvil, which it signs for. */
const FAUCET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** The legs of the local chain's file, with changes to its network, in this process. */
function legsWith(changes: Readonly<Record<string, unknown>>) {
  const file = JSON.parse(readFileSync(chain.environment['GATE_LEGS_FILE'] ?? '', 'utf8')) as {
    readonly chain: { readonly networks: readonly object[] };
  };
  const networks = file.chain.networks.map((network) => ({ ...network, ...changes }));
  const text = JSON.stringify({ ...file, chain: { ...file.chain, networks } });
  const { legs, problems } = readLegs(text, chain.environment);
  if (legs === null) throw new Error(problems.join('\n'));
  const store = memoryLegsStore();
  const alarms: string[] = [];
  const open = openLegs(legs, { store, alarm: (name) => void alarms.push(name), onError: () => undefined });
  return { ...open, store, alarms };
}

let calls = 0;

function send({ chain: leg }: OpenLegs): Promise<SendResult> {
  const callId = `legs-file-${(calls += 1)}`;
  const order = { callId, mode: 'test', now: 0, to: BUYER, asset: 'USDC', network: 'base', amount: '1' } as const;
  return leg.send(order);
}

test.each([
  ['eip1559', '0x2'],
  ['legacy', '0x0'],
])('fees "%s": transactions have the type %s', async (fees, type) => {
  const legs = legsWith({ fees });
  const sent = await send(legs);
  if (sent.kind === 'refused' || sent.hash === null) throw new Error(`Nothing was signed: ${JSON.stringify(sent)}`);
  const { hash } = sent;
  expect(await chain.anvil.request('eth_getTransactionByHash', hash)).toMatchObject({ type });
  // The next test's legs take the next nonce of the same wallet.
  await until(() => chain.anvil.request('eth_getTransactionReceipt', hash));
});

test('deposit_price: until when and how far the price of a sale is held, 10 minutes and 50 basis points by default', async () => {
  const text = readFileSync(chain.environment['GATE_LEGS_FILE'] ?? '', 'utf8');
  const read = (given: object) =>
    readLegs(JSON.stringify({ ...(JSON.parse(text) as object), ...given }), chain.environment);
  expect(read({}).legs?.deposit_price).toEqual({ held_minutes: 10, requote_after_bps: 50 });
  const price = { held_minutes: 2, requote_after_bps: 0 };
  expect(read({ deposit_price: price }).legs?.deposit_price).toEqual(price);
  expect(read({ deposit_price: { held_minutes: 31, requote_after_bps: 0.5, other: 1 } }).problems).toHaveLength(3);
});

test('gas_ceiling_gwei: nothing is signed above it, and the network is unavailable with an alarm', async () => {
  const legs = legsWith({ gas_ceiling_gwei: '0.000001' });
  expect(await legs.chain.unavailable('base', { asset: 'USDC', as: 'send' })).toMatch(/ceiling/);
  expect(await send(legs)).toMatchObject({ kind: 'sending', hash: null });
  expect(legs.alarms).toContain('gas_ceiling');
  expect(
    await legsWith({ gas_ceiling_gwei: '100000' }).chain.unavailable('base', { asset: 'USDC', as: 'send' }),
  ).toBeNull();
});

test.each([
  ['is kept below its minimum', '0.01', { status: 'kept', amount: '0' }, 0n],
  ['is returned from its minimum on', '0.001', { status: 'returned', amount: '0.002' }, 2_000_000_000_000_000n],
])('min_returns: a deposit of another token %s', async (_, minimum, expected, returned) => {
  const legs = legsWith({ min_returns: { ETH: minimum }, deposit_confirmations: 1 });
  const balance = async () => BigInt(String(await chain.anvil.request('eth_getBalance', REFUND_ADDRESS, 'latest')));
  const before = await balance();
  const { outcome } = answered(await legs.provider.start(sell(Date.now())));
  if (outcome.kind !== 'requires_action' || outcome.nextAction.type !== 'crypto_deposit') throw new Error(outcome.kind);
  const { address } = outcome.nextAction;
  await chain.anvil.request('eth_sendTransaction', { from: FAUCET, to: address, value: '0x71afd498d0000' });
  // The sale fails once its time to pay is over, and its deposits are returned.
  let seconds = 0;
  const found = await until(async () => {
    await legs.chain.work();
    await legs.provider.work('test', Date.now() + (seconds += 120) * 1_000);
    const [deposit] = (await findOperation(legs.store, 'op1'))?.returns ?? [];
    return deposit === undefined || deposit.status === 'due' ? null : deposit;
  });
  expect(found).toMatchObject({ asset: 'ETH', ...expected });
  expect((await balance()) - before).toBe(returned);
});

test('reconcile_rpc_url: a deposit that the first RPC hides is found at the second one', async () => {
  const hiding = await proxyWithoutLogs();
  const legs = legsWith({ rpc_urls: [hiding.url], reconcile_rpc_url: chain.url });
  const call = { callId: 'op9-deposit', mode: 'test', now: 0, network: 'base' } as const;
  const { address } = await legs.chain.depositAddress(call);
  await legs.chain.work();
  await chain.pay(address as `0x${string}`, '5');
  await until(async () => {
    await legs.chain.work();
    return hiding.hidden() > 0 ? true : null;
  });
  // The reconciler compares final blocks.
  await chain.anvil.request('anvil_mine', '0x50');
  await until(async () => {
    await legs.chain.work();
    return legs.alarms.includes('deposit_missed') ? true : null;
  });
  expect(await legs.chain.deposits(call)).toEqual([]);
});

/** The chain's RPC, but for transfer logs. */
async function proxyWithoutLogs() {
  let hidden = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { id, method } = JSON.parse(body) as { readonly id: unknown; readonly method: string };
      response.setHeader('content-type', 'application/json');
      if (method === 'eth_getLogs') {
        hidden += 1;
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: [] }));
        return;
      }
      void fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then((answer) => answer.text())
        .then((text) => response.end(text));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server on TCP has a port.');
  return { url: `http://127.0.0.1:${address.port}`, hidden: () => hidden };
}
