import { encodeFunctionData, parseGwei, type Address, type Hex } from 'viem';
import { generatePrivateKey, HDKey, privateKeyToAccount } from 'viem/accounts';
import { onTestFinished, vi } from 'vitest';
import { runGate } from '../../../apps/reference-server/test/run-gate.js';
import { BUYER, enabledFlows, settledIntent, SILENT } from '../../legs/checkout.js';
import { scratchDatabase } from '../../services/scratch-database.js';
import type { Fault } from '../scene.js';
import { onDatabase } from '../shop.js';
import {
  FAUCET,
  OTHER_RECEIVER,
  TOKEN_ABI,
  FINAL,
  changed,
  startChain,
  watched,
  withNetwork,
  withWallet,
  mine,
  stopMining,
  pay,
  refuse,
  purchase,
  pendingSend,
  sale,
  shiftClock,
  hidingLogs,
  depthOf,
} from '../legs-world.js';

/** Faults of chains, RPCs and the hot wallet, on a server with a private chain. */
export const CHAIN_FAULTS: readonly Fault[] = [
  {
    title: 'the settings of the legs do not fit the chain',
    alerts: [
      'GateChainIdMismatch',
      'GateTokenDecimalsMismatch',
      'GateWalletUnfunded',
      'GateWalletBelowFloor',
      'GateGasCeiling',
      'GateRpcSilent',
      'GateRpcDown',
    ],
    async cause(scene) {
      const chain = await startChain();
      const wrong = [
        withNetwork(chain, { chain_id: 84_532 }),
        withNetwork(chain, { tokens: [{ asset: 'USDC', address: chain.token, decimals: 18 }] }),
        { ...chain.environment, GATE_WALLET_KEY: generatePrivateKey() },
        withWallet(chain, { floor: { USDC: '2000000' } }),
        withNetwork(chain, { gas_ceiling_gwei: '0.000001' }),
        withNetwork(chain, { rpc_urls: [SILENT] }),
      ];
      for (const settings of wrong) await enabledFlows(await watched(scene, settings));
      await scene.raised('chain_id_mismatch', 'token_decimals_mismatch', 'wallet_unfunded', 'wallet_below_floor');
      await scene.raised('gas_ceiling', 'rpc_silent');
    },
  },
  {
    title: 'the gas of a purchase costs more than its bound',
    alerts: ['GateFeeBound'],
    async cause(scene) {
      const chain = await startChain();
      const prices = { 'USDC/EUR': '0.92', 'ETH/EUR': '1000000000' };
      const server = await watched(
        scene,
        changed(chain, (legs) => ({ ...legs, exchange: { ...legs.exchange, prices } })),
      );
      await scene.minutes(1);
      scene.begins();
      await purchase(server);
      await scene.raised('fee_bound');
    },
  },
  {
    title: 'the token begins to charge a fee on transfers',
    alerts: ['GateTokenFeeOnTransfer'],
    async cause(scene) {
      const chain = await startChain();
      // The second variable of the contract is its fee.
      await chain.anvil.request('anvil_setStorageAt', chain.token, '0x1', `0x${(100).toString(16).padStart(64, '0')}`);
      await enabledFlows(await watched(scene, chain.environment));
      await scene.raised('token_fee_on_transfer');
    },
  },
  {
    title: 'purchases use up the daily limit of the wallet',
    alerts: ['GateWalletLimitReached'],
    async cause(scene) {
      const chain = await startChain();
      // A purchase takes 53.6 of it.
      const server = await watched(scene, withWallet(chain, { max_per_day: { USDC: '54' } }));
      await scene.minutes(1);
      scene.begins();
      await purchase(server);
      await enabledFlows(server);
      await scene.raised('wallet_limit_reached');
    },
  },
  {
    title: 'an operator pauses the wallet, and a network with a send and a deposit address is renamed in the legs file',
    alerts: ['GateWalletPaused', 'GateWorkerFailed', 'GateUnattributedDeposit'],
    async cause(scene) {
      const chain = await startChain();
      const database = await scratchDatabase();
      const settings = { ...chain.environment, ...onDatabase(database.url) };
      const server = await watched(scene, settings);
      await scene.minutes(1);
      scene.begins();
      const before = await sale(server);
      await stopMining(chain);
      await purchase(server);
      await scene.until('gate_pending_sends{network="base"}', (value) => value > 0);
      const paused = await runGate('wallets pause base --reason Rotation', settings);
      if (paused.code !== 0) throw new Error(paused.err);
      await enabledFlows(server);
      await scene.raised('wallet_paused');
      await server.stop();
      const renamed = await watched(scene, {
        ...withNetwork(chain, { network: 'ethereum' }),
        ...onDatabase(database.url),
      });
      await scene.raised('worker_failed');
      await sale(renamed, { source_network: 'ethereum' });
      await pay(chain, chain.token, mintTo(before.address));
      await mine(chain, 4);
      await scene.raised('unattributed_deposit');
    },
  },
  {
    title: 'the token refuses every transfer of the wallet',
    alerts: ['GateTokenTransferReverts'],
    async cause(scene) {
      const chain = await startChain();
      const server = await watched(scene, chain.environment);
      await scene.minutes(1);
      scene.begins();
      for (const receiver of [BUYER, OTHER_RECEIVER] as const) await refuse(chain, receiver);
      await stopMining(chain);
      await mine(chain);
      await purchase(server);
      await scene.raised('token_transfer_reverts');
    },
  },
  {
    title: 'another signer spends a nonce of the wallet',
    alerts: ['GateNonceConflict'],
    async cause(scene) {
      const chain = await startChain();
      await pendingSend(scene, chain);
      await chain.anvil.request('anvil_dropAllTransactions');
      const thief = privateKeyToAccount((chain.environment['GATE_WALLET_KEY'] ?? '') as Hex);
      const raw = await thief.signTransaction({
        to: FAUCET,
        chainId: chain.chainId,
        nonce: 0,
        gas: 21_000n,
        maxFeePerGas: parseGwei('1000'),
        maxPriorityFeePerGas: parseGwei('5'),
      });
      await chain.anvil.request('eth_sendRawTransaction', raw);
      await mine(chain);
      await mine(chain, FINAL);
      await scene.raised('nonce_conflict');
    },
  },
  {
    title: 'the network reverts a transfer',
    alerts: ['GateSendReverted'],
    async cause(scene) {
      const chain = await startChain();
      await pendingSend(scene, chain);
      await refuse(chain, BUYER);
      await mine(chain);
      await mine(chain, FINAL);
      await scene.raised('send_reverted');
    },
  },
  {
    title: 'the token mines a transfer without making it',
    alerts: ['GateSendWithoutTransfer'],
    async cause(scene) {
      const chain = await startChain();
      await pendingSend(scene, chain);
      // Returns true for every call.
      await chain.anvil.request('anvil_setCode', chain.token, '0x600160005260206000f3');
      await mine(chain);
      await mine(chain, 4);
      await scene.raised('send_without_transfer');
    },
  },
  {
    title: 'a reorganization removes a confirmed send',
    alerts: ['GateSendReorged'],
    async cause(scene) {
      const chain = await startChain();
      const server = await watched(scene, chain.environment);
      const { buyer, id } = await purchase(server);
      const { transaction } = await settledIntent(buyer, id);
      scene.begins();
      await stopMining(chain);
      // The node may have mined further blocks while other processes waited for CPU time.
      const depth = await depthOf(chain, transaction?.tx_hash ?? '');
      await chain.anvil.request('anvil_reorg', depth, []);
      await scene.raised('send_reorged');
    },
  },
  {
    title: 'the chain halts',
    alerts: ['GateChainHalted'],
    async cause(scene) {
      const chain = await startChain();
      await watched(scene, withNetwork(chain, { head_max_age_seconds: 20 }));
      await stopMining(chain);
      await scene.raised('chain_halted');
    },
  },
  {
    title: 'no block is made for ten minutes',
    alerts: ['GateSendsUnconfirmed'],
    async cause(scene) {
      const chain = await startChain();
      await pendingSend(scene, chain);
      await scene.until('gate_oldest_unconfirmed_send_seconds', (value) => value > 0);
      onTestFinished(() => void vi.useRealTimers());
      vi.setSystemTime(Date.now() + 11 * 60_000);
      await scene.until('gate_oldest_unconfirmed_send_seconds', (value) => value > 600);
      await scene.minutes(2);
    },
  },
  {
    title: 'a reorganization removes a credited deposit',
    alerts: ['GateDepositReorged'],
    async cause(scene) {
      const chain = await startChain();
      const server = await watched(scene, chain.environment);
      await scene.minutes(1);
      scene.begins();
      const { buyer, id, address, amount } = await sale(server);
      await stopMining(chain);
      await chain.pay(address, amount);
      await mine(chain, 4);
      await settledIntent(buyer, id);
      await chain.anvil.request('anvil_reorg', 5, []);
      await mine(chain);
      await scene.raised('deposit_reorged');
    },
  },
  {
    title: 'a reorganization is deeper than finality',
    alerts: ['GateDeepReorg'],
    async cause(scene) {
      const chain = await startChain();
      const server = await watched(scene, chain.environment);
      await scene.minutes(1);
      scene.begins();
      await sale(server);
      await stopMining(chain);
      await mine(chain, FINAL);
      const isRaised = scene.raised('deep_reorg').then(() => true);
      const reorganize = async (): Promise<false> => {
        await mine(chain, FINAL);
        // The server reads the blocks, and with them what is final. Without CPU time, it does so in the next round.
        await scene.minutes(8);
        await chain.anvil.request('anvil_reorg', FINAL + 10, []);
        await mine(chain);
        await scene.minutes(8);
        return false;
      };
      while (!(await Promise.race([isRaised, reorganize()])));
    },
  },
  {
    title: 'one of two RPCs hides a deposit',
    alerts: ['GateDepositMissed', 'GateDepositNotFound'],
    async cause(scene) {
      const chain = await startChain();
      const liar = await hidingLogs(chain);
      const xpub = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/60'/0'").publicExtendedKey;
      const first = await watched(scene, withNetwork(chain, { rpc_urls: [liar], reconcile_rpc_url: chain.url }));
      const second = await watched(scene, {
        ...withNetwork(chain, { reconcile_rpc_url: liar }),
        GATE_DEPOSIT_XPUB: xpub,
      });
      await scene.minutes(1);
      scene.begins();
      const sales = [await sale(first), await sale(second)];
      // The comparison begins at a multiple of 16 blocks after the first deposit address of an installation.
      await mine(chain, 16);
      for (const { address, amount } of sales) await chain.pay(address, amount);
      const [, credited] = sales;
      if (credited !== undefined) await settledIntent(credited.buyer, credited.id);
      await stopMining(chain);
      await mine(chain, FINAL);
      // Both are compared once a minute.
      await scene.raised('deposit_missed', 'deposit_not_found');
    },
  },
  {
    title: 'an RPC refuses every request for logs, for more than ten minutes',
    alerts: ['GateLogsRefused', 'GateReconcilerBehind'],
    async cause(scene) {
      const chain = await startChain();
      const refusing = await hidingLogs(chain, { error: { code: -32_601, message: 'not in your plan' } });
      const server = await watched(scene, withNetwork(chain, { rpc_urls: [refusing], reconcile_rpc_url: refusing }));
      await scene.minutes(1);
      scene.begins();
      await sale(server);
      // Only final blocks are compared, once a minute.
      await mine(chain, 2 * FINAL);
      await scene.raised('logs_refused');
      shiftClock(11 * 60_000);
      await scene.raised('reconciler_behind');
    },
  },
  {
    title: 'a deposit arrives a month after its sale',
    alerts: ['GateDepositUnclaimed'],
    async cause(scene) {
      const chain = await startChain();
      const server = await watched(scene, chain.environment);
      await scene.minutes(1);
      scene.begins();
      const { address } = await sale(server);
      shiftClock(31 * 24 * 3_600_000);
      await pay(chain, chain.token, mintTo(address));
      await scene.raised('deposit_unclaimed');
    },
  },
];

const mintTo = (address: Address): Hex =>
  encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [address, 5_000_000n] });
