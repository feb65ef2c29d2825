import { RpcOutageError } from '@gateramp/adapters-chain-evm';
import type { ConsoleLegs, LegOperation } from '@gateramp/console';
import type { GateClock } from '@gateramp/core/runtime';
import {
  findOperation,
  listOperations,
  resolveOperation,
  STEPS,
  type LegsStore,
  type Operation,
} from '@gateramp/provider-legs';
import type { LegsConfig } from './legs-file.js';
import type { OpenLegs } from './open-legs.js';

/** The provider legs as the console shows them. */
export function consoleLegs(
  { chain }: Pick<OpenLegs, 'chain'>,
  store: LegsStore,
  { wallet: { max_per_send: maxPerSend, max_per_day: maxPerDay } }: LegsConfig['chain'],
  clock: Pick<GateClock, 'now'>,
): ConsoleLegs {
  return {
    wallets: async () => {
      const [wallets, gauges] = await Promise.all([chain.wallets(), chain.gauges()]);
      return wallets.map((wallet) => {
        const gauge = gauges.find(({ network }) => network === wallet.network);
        return {
          ...wallet,
          balances: gauge?.balances ?? {},
          isAnswering: gauge?.isUp === true,
          pendingSends: gauge?.pendingSends ?? 0,
          maxPerSend,
          maxPerDay,
        };
      });
    },
    pauseWallet: (network, reason, audited) => chain.pauseWallet(network, reason, audited),
    resumeWallet: async (network, reason, audited) => {
      try {
        await chain.resumeWallet(network, reason, audited);
        return 'resumed';
      } catch (error) {
        if (error instanceof RpcOutageError) return 'unreachable';
        throw error;
      }
    },
    listOperations: async (query) => (await listOperations(store, query)).map(operationOf),
    findOperation: async (id) => {
      const found = await findOperation(store, id);
      return found === null ? null : { ...operationOf(found), owed: found.owed, entries: found.entries };
    },
    resolveOperation: async ({ id, as, reason, audited }) => {
      const found = await findOperation(store, id);
      if (found === null) return { kind: 'not_found' };
      const order = { operationId: id, as, reason, now: clock.now(found) };
      const done = await resolveOperation(store, {
        ...order,
        ...(audited === null ? { isDryRun: true } : { audited }),
      });
      if (done.kind === 'resolved') return { kind: 'resolved', postings: done.entry?.postings ?? [] };
      // An approval that is repeated after a crash.
      return done.kind === 'not_stuck' && done.operation.resolution?.as === as
        ? { kind: 'known' }
        : { kind: done.kind };
    },
  };
}

function operationOf(operation: Operation): LegOperation {
  const { operationId: id, mode, partnerId, flow, state, failure, resolution, price, createdAt, updatedAt } = operation;
  return {
    id,
    mode,
    partnerId,
    flow,
    status: state.kind === 'ended' ? state.as : state.kind === 'calling' ? 'running' : state.kind,
    step: state.kind === 'ended' ? null : state.step,
    steps: STEPS[flow],
    reason: state.kind === 'stuck' ? state.reason : (failure?.code ?? null),
    source: price === null ? null : moneyOf(price.source),
    destination: price === null ? null : moneyOf(price.destination),
    resolution,
    createdAt,
    updatedAt,
  };
}

function moneyOf({ amount, currency }: { readonly amount: string; readonly currency: string }) {
  return { amount, currency };
}
