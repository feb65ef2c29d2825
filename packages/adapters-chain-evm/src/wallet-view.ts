import type { Instant } from '@gateramp/core/domain';
import { formatUnits } from 'viem';

import type { Kinds } from './documents.js';
import { type Fee, feeFor, type FeeMarket, readMarket } from './fees.js';
import type { Place } from './place.js';
import type { Header } from './rpc.js';
import { limitUnits, type ViewedUnits } from './spending.js';
import { tokenProblem } from './token-check.js';
import { newWallet } from './wallet-document.js';

/** The state of the wallet on the chain at one moment. */
export interface WalletView extends ViewedUnits {
  readonly at: Instant;
  readonly head: Header;
  readonly finalized: number;
  /** The first nonce that is not spent as of the newest block. */
  readonly count: number;
  /** The first nonce that the node knows no transaction for, including pending ones. */
  readonly pending: number;
  readonly market: FeeMarket;
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
  const lowAssets = new Set<string>();
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
    const { rpc, network, address, assets, alarms, documents, walletId } = place;
    // Before the chain is read, so that no send is missing from both `free` and what was taken since.
    const stored = await documents.load('evm_wallet', walletId);
    const taken = stored?.body.taken ?? {};
    const label = { network: network.network, wallet: address };
    const [chainId, head] = await Promise.all([rpc.chainId(), rpc.head()]);
    const isWrongChain = chainId !== network.chainId;
    alarms.hold(isWrongChain, 'chain_id_mismatch', { ...label, configured: network.chainId, answered: chainId });
    const chainProblem = isWrongChain
      ? `The RPC serves chain ${chainId}, and ${network.network} is chain ${network.chainId}.`
      : null;
    const free = new Map<string, bigint>();
    const market = { baseFee: 0n, tip: 0n, usual: 0n };
    const empty = { at: place.now(), head, finalized: 0, count: 0, pending: 0, market, free, taken, chainProblem };
    if (isWrongChain) return { ...empty, problem: chainProblem, assetProblems: new Map() };

    const [finalized, count, pending, prices, ...balances] = await Promise.all([
      rpc.finalized(head, network.finalityDepth),
      // The count and the balances are of the same block, so that each transaction is in both or in neither.
      rpc.transactionCount(address, head.number),
      rpc.transactionCount(address, 'pending'),
      readMarket(network, rpc, head),
      ...assets.map(({ token }) => rpc.balance(address, token, head.number).catch(zeroForRevert)),
    ]);
    if (stored === null || stored.body.isUnread === true) await storeFirst(place, stored, Math.max(count, pending));
    const reserved = await reservedOf(place, count);
    const assetProblems = new Map<string, string>();
    for (const [at, asset] of assets.entries()) {
      const balance = balances[at] ?? 0n;
      free.set(asset.asset, balance - (reserved.get(asset.asset) ?? 0n));
      const problem =
        (await checkToken(asset, balance)) ?? (balance === 0n ? `The wallet holds no ${asset.asset}.` : null);
      if (problem !== null) assetProblems.set(asset.asset, problem);
      alarms.hold(balance === 0n, 'wallet_unfunded', { ...label, asset: asset.asset });
      const floor = limitUnits(place.wallet.floor, asset) ?? 0n;
      // Cleared only above the floor by a tenth, so that single sends do not raise it again and again.
      const isLow = balance < floor || (lowAssets.has(asset.asset) && balance < (floor * 11n) / 10n);
      if (isLow) lowAssets.add(asset.asset);
      else lowAssets.delete(asset.asset);
      alarms.hold(isLow, 'wallet_below_floor', {
        ...label,
        asset: asset.asset,
        balance: formatUnits(balance, asset.decimals),
      });
    }
    const view = { ...empty, finalized, count, pending: Math.max(count, pending), market: prices };
    const fee = feeFor(network, prices, { gas: GAS_OF_A_SEND, worth: null });
    const ceiling = { ...label, ceiling_gwei: network.gasCeilingGwei ?? '' };
    alarms.hold(fee.kind === 'gas_ceiling', 'gas_ceiling', ceiling, { cause: 'market' });
    alarms.hold(fee.kind === 'fee_bound', 'fee_bound', label, { cause: 'market' });
    const gasProblem = fee.kind === 'fee' ? noGas(free, network.native, fee.fee) : FEE_PROBLEMS[fee.kind];
    const result = { ...view, problem: gasProblem, assetProblems };
    // Holds its alarm.
    chainProblemOf(place, result);
    return result;
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
    /** Makes the next call of `current` refresh the view, and check the tokens again. */
    forget(): void {
      last = null;
      checkedTokens.clear();
    },
  };
}

/** The cached views of one wallet. */
export type WalletViews = ReturnType<typeof walletViewOf>;

const VIEW_MS = 1_000;
const TOKEN_GOOD_MS = 60_000;
const TOKEN_BAD_MS = 10_000;
/** An upper bound for the gas of a token transfer. */
export const GAS_OF_A_SEND = 100_000n;

/** Why nothing is signed at the present price of gas. */
export const FEE_PROBLEMS = {
  gas_ceiling: 'Gas costs more than the ceiling of the wallet.',
  fee_bound: 'Gas costs more than the bound of a send.',
} as const;

const HEAD_MAX_AGE_MS = 300_000;

/** Why the chain cannot be used now; null when it can. The alarm is held while its newest block is old. */
export function chainProblemOf({ network, alarms, now }: Place, view: WalletView): string | null {
  if (view.chainProblem !== null) return view.chainProblem;
  const isHalted = isOld({ network, now }, view);
  alarms.hold(isHalted, 'chain_halted', { network: network.network, block: view.head.number });
  return isHalted ? `${network.network} has had no new block since ${new Date(view.head.at).toISOString()}.` : null;
}

/** Whether the newest block is too old to act upon. */
export const isOld = ({ network, now }: Pick<Place, 'network' | 'now'>, { head }: WalletView): boolean =>
  now() - head.at > (network.headMaxAgeMs ?? HEAD_MAX_AGE_MS);

/** Stores the first nonce before the first send, so that after a restore all later transactions are known to be missing. */
async function storeFirst(place: Place, stored: Kinds['evm_wallet'] | null, nextNonce: number): Promise<void> {
  const { isUnread: _, ...body } = (stored ?? newWallet(place, 0)).body;
  const next = { ...(stored ?? newWallet(place, 0)), body: { ...body, nextNonce } };
  await place.documents.commit({ kind: 'evm_wallet', next });
}

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
  const { cause } = error instanceof Error ? error : {};
  if (cause instanceof Error && /^ContractFunction(ZeroData|Reverted)Error$/.test(cause.name)) return 0n;
  throw error;
}
