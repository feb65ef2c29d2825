import type { Instant } from '@gateramp/core/domain';
import { formatUnits } from 'viem';

import { unitsOf } from './assets.js';
import { type Fee, marketFee } from './fees.js';
import type { Place } from './place.js';
import type { Header } from './rpc.js';
import { tokenProblem } from './token-check.js';

/** The state of the wallet on the chain at one moment. */
export interface WalletView {
  readonly at: Instant;
  readonly head: Header;
  readonly finalized: number;
  /** The first nonce that is not spent as of the newest block. */
  readonly count: number;
  /** The current fee; null when gas costs more than the ceiling. */
  readonly fee: Fee | null;
  /** Units that are not reserved for signed sends, by asset. */
  readonly free: ReadonlyMap<string, bigint>;
  /** Why the chain is not the configured one; null when it is. */
  readonly chainProblem: string | null;
  /** Why nothing can be sent; null when sends are possible. */
  readonly problem: string | null;
  /** Why an asset cannot be sent, by asset. */
  readonly assetProblems: ReadonlyMap<string, string>;
}

/** Caches the view of the wallet. Only one refresh runs at a time. */
export function walletViewOf(place: Place) {
  let last: WalletView | null = null;
  let refreshing: Promise<WalletView> | null = null;
  const checkedTokens = new Map<string, { readonly at: Instant; readonly problem: string | null }>();

  async function checkToken(asset: Place['assets'][number], balance: bigint): Promise<string | null> {
    const known = checkedTokens.get(asset.asset);
    const now = place.now();
    const lifetimeMs = known?.problem === null ? TOKEN_GOOD_MS : TOKEN_BAD_MS;
    if (known !== undefined && now - known.at < lifetimeMs) return known.problem;
    const problem = await tokenProblem(place, asset, balance);
    // With an empty wallet, the check cannot detect a fee on transfers.
    if (balance > 0n) checkedTokens.set(asset.asset, { at: now, problem });
    return problem;
  }

  async function read(): Promise<WalletView> {
    const { rpc, network, address, assets, alarms } = place;
    const label = { network: network.network, wallet: address };
    const [chainId, head] = await Promise.all([rpc.chainId(), rpc.head()]);
    const isWrongChain = chainId !== network.chainId;
    alarms.hold(isWrongChain, 'chain_id_mismatch', { ...label, configured: network.chainId, answered: chainId });
    const chainProblem = isWrongChain
      ? `The RPC serves chain ${chainId}, and ${network.network} is chain ${network.chainId}.`
      : null;
    const free = new Map<string, bigint>();
    const empty = { at: place.now(), head, finalized: 0, count: 0, fee: null, free, chainProblem };
    if (isWrongChain) return { ...empty, problem: chainProblem, assetProblems: new Map() };

    const [finalized, count, fee, ...balances] = await Promise.all([
      rpc.finalized(head, network.finalityDepth),
      rpc.transactionCount(address, 'latest'),
      marketFee(network, rpc, head),
      ...assets.map(({ token }) => rpc.balance(address, token).catch(zeroForRevert)),
    ]);
    const reserved = await reservedOf(place, count);
    const assetProblems = new Map<string, string>();
    for (const [at, asset] of assets.entries()) {
      const balance = balances[at] ?? 0n;
      free.set(asset.asset, balance - (reserved.get(asset.asset) ?? 0n));
      const problem =
        (await checkToken(asset, balance)) ?? (balance === 0n ? `The wallet holds no ${asset.asset}.` : null);
      if (problem !== null) assetProblems.set(asset.asset, problem);
      alarms.hold(balance === 0n, 'wallet_unfunded', { ...label, asset: asset.asset });
      const floor = unitsOf(place.wallet.floor?.[asset.asset] ?? '0', asset) ?? 0n;
      alarms.hold(balance < floor, 'wallet_below_floor', {
        ...label,
        asset: asset.asset,
        balance: formatUnits(balance, asset.decimals),
      });
    }
    alarms.hold(fee === null, 'gas_ceiling', { ...label, ceiling_gwei: network.gasCeilingGwei ?? '' });
    const gasProblem =
      fee === null ? 'Gas costs more than the ceiling of the wallet.' : noGas(free, network.native, fee);
    return { ...empty, finalized, count, fee, free, problem: gasProblem, assetProblems };
  }

  return {
    /** A view that is at most `maxAgeMs` old. Throws while the RPC does not answer. */
    async current(maxAgeMs = VIEW_MS): Promise<WalletView> {
      if (last !== null && place.now() - last.at < maxAgeMs) return last;
      refreshing ??= read().finally(() => {
        refreshing = null;
      });
      last = await refreshing;
      return last;
    },
    /** The newest view, of any age; null before the first one. */
    last: () => last,
    /** Makes the next call of `current` refresh the view. */
    forget(): void {
      last = null;
    },
  };
}

/** The cached views of one wallet. */
export type WalletViews = ReturnType<typeof walletViewOf>;

const VIEW_MS = 1_000;
const TOKEN_GOOD_MS = 600_000;
const TOKEN_BAD_MS = 10_000;
/** An upper bound for the gas of a token transfer. */
const GAS_OF_A_SEND = 100_000n;

function noGas(free: ReadonlyMap<string, bigint>, native: string, fee: Fee): string | null {
  return (free.get(native) ?? 0n) < fee.maxFee * GAS_OF_A_SEND ? `The wallet has too little ${native} for gas.` : null;
}

/** Units and gas of signed sends that are not included as of the newest block. */
async function reservedOf(
  { documents, walletId, network }: Place,
  count: number,
): Promise<ReadonlyMap<string, bigint>> {
  const reserved = new Map<string, bigint>();
  const add = (asset: string, units: bigint) => reserved.set(asset, (reserved.get(asset) ?? 0n) + units);
  for (const { body } of await documents.all('evm_send', { status: 'sending' })) {
    const isOurs = `${body.chainId}:${body.wallet.toLowerCase()}` === walletId;
    if (!isOurs || body.nonce === null || body.nonce < count) continue;
    add(body.asset, BigInt(body.units));
    const attempt = body.attempts.at(-1);
    if (attempt !== undefined) add(network.native, BigInt(attempt.gas) * BigInt(attempt.maxFee));
  }
  return reserved;
}

/** Zero for a token without code, which has no balance to read. `tokenProblem` reports it. */
function zeroForRevert(error: unknown): bigint {
  if (error instanceof Error && error.name === 'ContractFunctionExecutionError') return 0n;
  throw error;
}
