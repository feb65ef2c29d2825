import type { Instant } from '@gateramp/core/domain';
import {
  type Address,
  BaseError,
  BlockNotFoundError,
  createPublicClient,
  erc20Abi,
  type GetTransactionReturnType,
  type Hash,
  type Hex,
  isAddressEqual,
  keccak256,
  parseAbiItem,
  type PublicClient,
  serializeTransaction,
  TransactionReceiptNotFoundError,
  type Transport,
} from 'viem';

/** A block, without its transactions. */
export interface Header {
  readonly number: number;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** Milliseconds since 1970. */
  readonly at: Instant;
  readonly baseFee: bigint | null;
}

/** A block with its transactions. */
export interface FullBlock extends Header {
  readonly transactions: readonly ChainTransaction[];
}

/** A transaction in a block. */
export interface ChainTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address | null;
  readonly nonce: number;
  readonly value: bigint;
  readonly input: Hex;
  readonly gas: bigint;
  readonly gasPrice?: bigint | undefined;
  readonly maxFeePerGas?: bigint | undefined;
  readonly maxPriorityFeePerGas?: bigint | undefined;
}

/** The fees of the newest blocks, per unit of gas in wei. */
export interface FeeHistory {
  readonly baseFees: readonly bigint[];
  /** The median priority fee of each block. */
  readonly tips: readonly bigint[];
}

/** A node's answer to a broadcast. `taken` does not guarantee inclusion, and the others do not rule it out. */
export type BroadcastAnswer = 'taken' | 'fee_too_low' | 'refused';

/** The methods of the client that callers use directly. A named type keeps viem's full type out of the declarations. */
export interface RpcClient {
  readonly call: PublicClient['call'];
  readonly estimateGas: PublicClient['estimateGas'];
  readonly getLogs: PublicClient['getLogs'];
}

/** The connection to one network. Every call has a deadline; an outage throws `RpcOutageError`. */
export type Rpc = ReturnType<typeof rpcOf>;

/** Thrown when the node did not answer. The state of the chain is then unknown. */
export class RpcOutageError extends Error {
  override readonly name = 'RpcOutageError';
}

/** Thrown when the node answers that it does not serve this request for logs, such as one of too many blocks, receivers or results. */
export class LogsRefusedError extends Error {
  override readonly name = 'LogsRefusedError';
}

/** Reads and broadcasts over one transport. Nothing is cached: a nonce or head block of four seconds ago is out of date. */
export function rpcOf(transport: Transport, { timeoutMs, now }: { timeoutMs: number; now: () => Instant }) {
  const client: PublicClient = createPublicClient({ transport, cacheTime: 0, batch: {} });
  const reads: RpcClient = client;
  let lastAnswerAt: Instant | null = null;
  let outages = 0;

  async function ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      const answer = await withDeadline(question(), timeoutMs);
      lastAnswerAt = now();
      return answer;
    } catch (error) {
      if (isOutage(error)) {
        outages += 1;
        throw error instanceof RpcOutageError ? error : new RpcOutageError('The RPC did not answer.');
      }
      lastAnswerAt = now();
      throw error;
    }
  }

  return {
    client: reads,
    /** The size of the requests for logs that this node answers. */
    logLimits: { blocks: LOG_LIMITS.blocks, receivers: LOG_LIMITS.receivers, streak: 0 },
    /** The time of the last answer; null before the first one. */
    lastAnswerAt: () => lastAnswerAt,
    /** The number of calls without an answer since the start. */
    outages: () => outages,
    ask,

    chainId: () => ask(() => client.getChainId()),
    head: () => ask(async () => headerOf(await client.getBlock({ blockTag: 'latest' }))),

    /** The number of the newest final block, by the `finalized` tag or, without it, by the depth. */
    async finalized(head: Header, depth: number): Promise<number> {
      const byDepth = Math.max(0, head.number - depth);
      try {
        const block = await ask(() => client.getBlock({ blockTag: 'finalized' }));
        return Math.min(Number(block.number), head.number);
      } catch (error) {
        if (error instanceof RpcOutageError) throw error;
        return byDepth;
      }
    },

    blockAt: (number: number): Promise<Header | null> =>
      ask(async () => {
        const block = await client.getBlock({ blockNumber: BigInt(number) }).catch(nullFor(BlockNotFoundError));
        return block === null ? null : headerOf(block);
      }),

    fullBlockAt: (number: number): Promise<FullBlock | null> =>
      ask(async () => {
        const block = await client
          .getBlock({ blockNumber: BigInt(number), includeTransactions: true })
          .catch(nullFor(BlockNotFoundError));
        return block === null ? null : { ...headerOf(block), transactions: block.transactions };
      }),

    receipt: (hash: Hash) =>
      ask(() => client.getTransactionReceipt({ hash }).catch(nullFor(TransactionReceiptNotFoundError))),

    transactionCount: (address: Address, at: 'latest' | 'pending' | number) =>
      ask(() =>
        client.getTransactionCount(
          typeof at === 'number' ? { address, blockNumber: BigInt(at) } : { address, blockTag: at },
        ),
      ),

    balance: (address: Address, token: Address | null, block?: number) =>
      ask(() => {
        const at = block === undefined ? {} : { blockNumber: BigInt(block) };
        if (token === null) return client.getBalance({ address, ...at });
        return client.readContract({
          address: token,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [address],
          ...at,
        });
      }),

    /** The logs of one request. Throws `LogsRefusedError` when the node answers but does not serve it. */
    logs: (filter: LogFilter): Promise<readonly TransferLog[]> =>
      ask(async () => {
        try {
          return await client.getLogs({ ...filter, event: TRANSFER, args: { to: [...filter.to] }, strict: true });
        } catch (error) {
          // Behind one address, another node than the one with the block may answer.
          if (error instanceof BaseError && UNKNOWN_BLOCK.test(error.details))
            throw new RpcOutageError('The RPC does not have the block.');
          throw refusalOf(error) ?? error;
        }
      }),

    decimals: (token: Address) =>
      ask(() => client.readContract({ address: token, abi: erc20Abi, functionName: 'decimals' })),

    /** The wallet's transaction with this nonce in the node's pending block; null when the node shows none. */
    pendingTransaction: (address: Address, nonce: number): Promise<ChainTransaction | null> =>
      ask(async () => {
        const block = await client.getBlock({ blockTag: 'pending', includeTransactions: true }).catch(nullForRefusal);
        return (
          block?.transactions.find((one) => isAddressEqual(one.from, address) && Number(one.nonce) === nonce) ?? null
        );
      }),

    /** The signed bytes of a transaction; null when the node does not give them. */
    rawTransaction: (hash: Hash): Promise<Hex | null> =>
      ask(async () => {
        const transaction = await client.getTransaction({ hash }).catch(nullForRefusal);
        return transaction === null ? null : rawOf(transaction);
      }),

    /** The suggested priority fee, to be paid in addition to the base fee; null when the node does not have that method. */
    tip: (): Promise<bigint | null> =>
      ask(async () => {
        const answer = await client.request({ method: 'eth_maxPriorityFeePerGas' }).catch(nullForRefusal);
        return answer === null ? null : BigInt(answer);
      }),
    /** The fees of the newest blocks; null when the node does not have that method. */
    feeHistory: (): Promise<FeeHistory | null> =>
      ask(async () => {
        const answer = await client
          .getFeeHistory({ blockCount: FEE_BLOCKS, blockTag: 'latest', rewardPercentiles: [50] })
          .catch(nullForRefusal);
        if (answer === null) return null;
        return { baseFees: answer.baseFeePerGas, tips: (answer.reward ?? []).flatMap((tips) => tips.slice(0, 1)) };
      }),
    gasPrice: () => ask(() => client.getGasPrice()),

    /** Broadcasts stored bytes. Repeating a broadcast is harmless, so the answer does not need to be trusted. */
    async broadcast(serializedTransaction: Hex): Promise<BroadcastAnswer> {
      try {
        await ask(() => client.sendRawTransaction({ serializedTransaction }));
        return 'taken';
      } catch (error) {
        if (error instanceof RpcOutageError) return 'refused';
        return broadcastAnswerOf(error);
      }
    },
  };
}

const FEE_BLOCKS = 20;

/** Serializes a transaction of the chain with its signature. Null when the result does not have its hash. */
function rawOf(transaction: GetTransactionReturnType): Hex | null {
  const { r, s, v, yParity, hash, to, input, gas, nonce, value, chainId } = transaction;
  const common = { ...(to === null ? {} : { to }), data: input, gas, nonce, value };
  const signature = { r, s, ...(yParity === undefined ? { v } : { yParity }) };
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = transaction;
  const fees =
    transaction.type === 'eip1559' && chainId !== undefined
      ? ({ type: 'eip1559', chainId, maxFeePerGas, maxPriorityFeePerGas } as const)
      : ({ type: 'legacy', gasPrice, ...(chainId === undefined ? {} : { chainId }) } as const);
  const raw = serializeTransaction({ ...common, ...fees }, fees.type === 'legacy' ? { r, s, v } : signature);
  return keccak256(raw) === hash ? raw : null;
}

/** Transfers of these tokens to these receivers, or from this sender, in one block or in a range of blocks. */
export type LogFilter = { readonly address: Address[]; readonly to: readonly Address[] } & (
  | { readonly blockHash: Hash }
  | { readonly fromBlock: bigint; readonly toBlock: bigint }
);

/** The log of a transfer of tokens. */
export interface TransferLog {
  readonly address: Address;
  readonly args: { readonly from: Address; readonly to: Address; readonly value: bigint };
  readonly blockHash: Hash | null;
  readonly blockNumber: bigint | null;
  readonly transactionHash: Hash | null;
  readonly logIndex: number | null;
  readonly removed: boolean;
}

/** The largest requests for logs: final blocks, and receivers. */
export const LOG_LIMITS: Readonly<Record<'blocks' | 'receivers', number>> = { blocks: 500, receivers: 1_000 };
export const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

/** HTTP statuses of outages and wrong settings. Other 4xx refuse the request itself. */
const NOT_REFUSALS = new Set([401, 403, 404, 408, 425, 429]);

/** The refusal of a request for logs: an error of JSON-RPC, or an HTTP status that refuses this request. Null for an outage. */
function refusalOf(error: unknown): LogsRefusedError | null {
  if (!(error instanceof BaseError)) return null;
  const cause = error.walk((one) => one instanceof Error && ('status' in one || 'code' in one));
  if (!(cause instanceof Error)) return null;
  const { status, code } = cause as { status?: unknown; code?: unknown };
  const isRefused =
    typeof status === 'number' ? status >= 400 && status < 500 && !NOT_REFUSALS.has(status) : typeof code === 'number';
  return isRefused && code !== UNKNOWN_CODE ? new LogsRefusedError(reasonOf(error)) : null;
}

/** The code that viem gives to errors without one, such as those of a connection. */
const UNKNOWN_CODE = -1;
const REASON_MAX = 200;

/** The words of the node, without the request: its URL may hold a key. */
function reasonOf(error: BaseError): string {
  return error.details.replaceAll(/https?:\/\/\S+/g, '…').slice(0, REASON_MAX);
}

function broadcastAnswerOf(error: unknown): BroadcastAnswer {
  const text = (error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error)).toLowerCase();
  if (/already known|known transaction|already imported/.test(text)) return 'taken';
  if (/replacement/.test(text)) return 'refused';
  if (/underpriced|base fee|fee cap|max fee per gas|feetoolow/.test(text)) return 'fee_too_low';
  return 'refused';
}

function headerOf(block: {
  readonly number: bigint | null;
  readonly hash: Hash | null;
  readonly parentHash: Hash;
  readonly timestamp: bigint;
  readonly baseFeePerGas: bigint | null;
}): Header {
  if (block.number === null || block.hash === null) throw new RpcOutageError('The RPC answered with a pending block.');
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    at: Number(block.timestamp) * 1_000,
    baseFee: block.baseFeePerGas,
  };
}

/** Returns null for one kind of error and rethrows all others. */
function nullFor(kind: abstract new (...args: never[]) => Error): (error: unknown) => null {
  return (error) => {
    if (error instanceof kind) return null;
    throw error;
  };
}

/** Returns null for an answer that refuses the question, such as a method that the node does not have, and rethrows outages. */
function nullForRefusal(error: unknown): null {
  if (isOutage(error)) throw error;
  return null;
}

/** Compared by name, since a transport may come from another copy of viem. */
const OUTAGES = new Set([
  'HttpRequestError',
  'TimeoutError',
  'WebSocketRequestError',
  'SocketClosedError',
  'ResponseBodyTooLargeError',
  'UnknownRpcError',
  'LimitExceededRpcError',
  'ResourceUnavailableRpcError',
  'InternalRpcError',
]);

function isOutage(error: unknown): boolean {
  if (error instanceof RpcOutageError) return true;
  if (error instanceof LogsRefusedError) return false;
  if (!(error instanceof BaseError)) return true;
  // Repeating the question to a node without old states does not help, whatever the code of its answer.
  if (NO_STATE.test(`${error.shortMessage} ${error.details}`)) return false;
  // A node behind a load balancer may not have the newest block yet.
  if (UNKNOWN_BLOCK.test(`${error.shortMessage} ${error.details}`)) return true;
  return error.walk((cause) => cause instanceof Error && OUTAGES.has(cause.name)) !== null;
}

const NO_STATE =
  /missing trie node|no state available|historical state|state (is |was )?(not available|unavailable|pruned)|archive/i;
const UNKNOWN_BLOCK = /unknown block|(block|header).{0,40}not (be )?found|no such block|block ?out ?of ?range/i;

/** Awaits a promise. After the time limit throws, by default a `RpcOutageError`. */
export async function withDeadline<T>(
  promise: Promise<T>,
  timeoutMs: number,
  error: () => Error = () => new RpcOutageError('The RPC did not answer in time.'),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
