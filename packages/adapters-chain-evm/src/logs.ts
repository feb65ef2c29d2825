import type { Address, Hash } from 'viem';

import { LOG_LIMITS, LogsRefusedError, type Rpc, RpcOutageError, type TransferLog } from './rpc.js';

/** The transfers to look for. */
export interface LogQuery {
  readonly tokens: readonly Address[];
  readonly receivers: readonly Address[];
  readonly blocks: { readonly hash: Hash } | { readonly from: number; readonly to: number };
}

/** The maximum number of requests for one query. A range that needs more is read in part. */
const REQUESTS_MAX = 200;
/** After this many answers in a row, larger requests are tried again. */
const STREAK = 20;

/**
 * Reads transfer logs in requests of the size that the node answers: halves a request that is refused, remembers what worked, and
 * grows again slowly. Returns the last block of a range that was read completely.
 */
export async function transferLogs(
  rpc: Rpc,
  { tokens, receivers, blocks }: LogQuery,
): Promise<{ readonly logs: readonly TransferLog[]; readonly to: number }> {
  if ('hash' in blocks) {
    const filters = { blockHash: blocks.hash };
    return { logs: await ofReceivers(rpc, { tokens, receivers, filters, span: 1, budget: unlimited() }), to: 0 };
  }
  const logs: TransferLog[] = [];
  const budget = { left: REQUESTS_MAX };
  let from = blocks.from;
  while (from <= blocks.to && budget.left > 0) {
    const span = Math.min(rpc.logLimits.blocks, blocks.to - from + 1);
    const filters = { fromBlock: BigInt(from), toBlock: BigInt(from + span - 1) };
    try {
      logs.push(...(await ofReceivers(rpc, { tokens, receivers, filters, span, budget })));
      from += span;
    } catch (error) {
      if (error instanceof RpcOutageError) shrinkBlocks(rpc, span);
      if (!(error instanceof LogsRefusedError) || span === 1) throw error;
      shrinkBlocks(rpc, span);
    }
  }
  return { logs: logs.toSorted(inOrder), to: from - 1 };
}

interface ReceiversQuery extends Pick<LogQuery, 'tokens' | 'receivers'> {
  readonly filters: { readonly blockHash: Hash } | { readonly fromBlock: bigint; readonly toBlock: bigint };
  readonly span: number;
  readonly budget: { left: number };
}

const unlimited = () => ({ left: Number.POSITIVE_INFINITY });

/** The logs of one block or range, a group of receivers at a time. Only in a single block are fewer receivers tried after a refusal. */
async function ofReceivers(rpc: Rpc, query: ReceiversQuery): Promise<readonly TransferLog[]> {
  const { tokens, receivers, filters, span, budget } = query;
  const logs: TransferLog[] = [];
  for (let at = 0; at < receivers.length;) {
    const to = receivers.slice(at, at + rpc.logLimits.receivers);
    budget.left -= 1;
    try {
      logs.push(...checked(await rpc.logs({ ...filters, address: [...tokens], to }), filters));
      at += to.length;
      grow(rpc);
    } catch (error) {
      if (!(error instanceof LogsRefusedError) || span > 1) throw error;
      if (to.length > 1) shrinkReceivers(rpc, to.length);
      else if (tokens.length > 1) {
        for (const token of tokens)
          logs.push(...(await ofReceivers(rpc, { ...query, tokens: [token], receivers: to })));
        at += 1;
      } else {
        // The size is not what the node refuses.
        Object.assign(rpc.logLimits, LOG_LIMITS);
        throw error;
      }
    }
  }
  return logs.toSorted(inOrder);
}

/** Throws for logs that are not of the requested blocks: of a node that lags behind, or of a block that was replaced. */
function checked(
  logs: readonly TransferLog[],
  filters: Pick<ReceiversQuery, 'filters'>['filters'],
): readonly TransferLog[] {
  for (const { removed, blockHash, blockNumber } of logs) {
    const isOfBlocks =
      'blockHash' in filters
        ? blockHash === filters.blockHash
        : blockNumber !== null && blockNumber >= filters.fromBlock && blockNumber <= filters.toBlock;
    if (removed || !isOfBlocks) throw new RpcOutageError('The RPC answered with logs of another block.');
  }
  return logs;
}

const inOrder = (a: TransferLog, b: TransferLog) =>
  Number((a.blockNumber ?? 0n) - (b.blockNumber ?? 0n)) || (a.logIndex ?? 0) - (b.logIndex ?? 0);

function shrinkBlocks({ logLimits }: Rpc, span: number): void {
  logLimits.blocks = Math.max(1, Math.floor(span / 2));
  logLimits.streak = 0;
}

/** With fewer receivers, more blocks may work again. */
function shrinkReceivers({ logLimits }: Rpc, count: number): void {
  logLimits.receivers = Math.max(1, Math.floor(count / 2));
  logLimits.blocks = LOG_LIMITS.blocks;
  logLimits.streak = 0;
}

function grow({ logLimits }: Rpc): void {
  logLimits.streak += 1;
  if (logLimits.streak < STREAK) return;
  logLimits.streak = 0;
  logLimits.blocks = Math.min(LOG_LIMITS.blocks, Math.ceil(logLimits.blocks * 1.5));
  logLimits.receivers = Math.min(LOG_LIMITS.receivers, Math.ceil(logLimits.receivers * 1.5));
}
