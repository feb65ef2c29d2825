import type { Instant } from '@gateramp/core/domain';
import { type Address, isAddressEqual, keccak256, stringToHex } from 'viem';

import type { AddressBook, Owner } from './address-book.js';
import { type Balances, balancesAt } from './balances.js';
import type { CursorBody, DepositBody, Kinds, Measured, StoredDeposit, Units, Write } from './documents.js';
import { findSpender } from './find-spender.js';
import type { Place } from './place.js';
import { requiredOf } from './required.js';
import { RpcOutageError } from './rpc.js';
import { unclaimed } from './unclaimed.js';
import { readAgain } from './read-again.js';

type Cursor = Kinds['evm_cursor'];

/** Addresses this young are compared in each round, as their buyers are waiting. */
const OPEN_MS = 2 * 3_600_000;
/** The pace of the round through all addresses, and how many are compared each time. */
const EVERY_MS = 60_000;
const SLICE = 200;
const OPEN_MAX = 1_000;
/** Addresses that are compared at the same time. */
const AT_ONCE = 20;
/** The watcher reads this many blocks in one round. */
const BEHIND_MAX = 50;
/** How many blocks are read again for tokens that no log explains. */
const READ_AGAIN_MAX = 1_000;
/** More transactions of one address than this are not read one by one. */
const SWEEPS_MAX = 20;
/** How many blocks back the block of an arrival is searched. Nodes without an archive have the state of about 128. */
const SEARCH_MAX = 120;

/** Compares the balances of the deposit addresses of one network with their deposits. */
export type Comparison = ReturnType<typeof comparisonOn>;

/**
 * Compares balances with deposits, in rounds after those of the watcher: native coins that contracts pass on are in no log and in no
 * transaction to the address, so only the balance shows them. Everything that arrived is the balance plus what the address itself spent.
 * What no deposit explains becomes a deposit of native coins, which is credited when its block is final; for tokens, whose logs the
 * watcher reads again first, it raises an alarm.
 */
export function comparisonOn(place: Place, book: AddressBook) {
  const { rpc, documents, network, now } = place;
  /** The newest block in which the balance of an address was explained by its deposits. */
  const explained = new Map<string, number>();
  /** Balances that were explained, so that their documents are not loaded again. */
  const unchanged = new Map<string, string>();
  /** How often tokens were seen at an address that no log explains, and up to which block their logs were read again. */
  const unexplained = new Map<string, { readonly times: number; readonly readTo: number }>();

  return {
    /** Compares the open addresses, and a part of all others once a minute. Waits while the watcher is far behind. */
    async round(): Promise<void> {
      const own = book.owners().filter((owner) => owner.network === network.network);
      const cursor = await documents.load('evm_cursor', network.network);
      if (cursor === null || own.length === 0) return;
      if ((await rpc.head()).number - cursor.body.number > BEHIND_MAX) return;
      const compared = await documents.load('evm_compared', network.network);
      const slice = nextSlice(own, compared, now());
      const unsettled = new Set(cursor.body.unsettled);
      const open = own.filter(({ createdAt, callId }) => now() - createdAt < OPEN_MS || unsettled.has(callId));
      await compare(cursor, [...new Set([...slice, ...open.slice(0, OPEN_MAX)])], new Set(slice));
      place.grouped.flush();
      const last = slice.at(-1);
      if (last === undefined) return;
      const fresh = { id: network.network, version: 0, status: 'active', dueAt: null } as const;
      const next = { ...(compared ?? fresh), body: { address: last.address, at: now() } };
      await documents.commit({ kind: 'evm_compared', next });
    },
  };

  async function compare(cursor: Cursor, owners: readonly Owner[], thorough: ReadonlySet<Owner>): Promise<void> {
    if (owners.length === 0) return;
    const { number, hash } = cursor.body;
    const block = await rpc.blockAt(number);
    if (block?.hash !== hash) return;
    const balances = await balancesAt(place, rpc, { owners: owners.map(({ address }) => address), block });
    // They are those of the cursor's block only if it was not replaced in between.
    if ((await rpc.blockAt(number))?.hash !== hash) return;
    const all = owners.flatMap((owner, nth) => {
      const found = balances[nth];
      return found === undefined ? [] : [{ owner, found }];
    });
    for (let at = 0; at < all.length; at += AT_ONCE)
      await Promise.all(
        all.slice(at, at + AT_ONCE).map(async ({ owner, found }) => {
          const text = [...found.values()].join(' ');
          const isThorough = thorough.has(owner);
          const isKnown = !isThorough && unchanged.get(owner.address) === text;
          if (!isKnown && !(await compareOne(owner, { balances: found, at: cursor.body, isThorough })))
            return void unchanged.delete(owner.address);
          unchanged.set(owner.address, text);
          explained.set(owner.address, number);
          for (const { asset } of place.assets) unexplained.delete([owner.address, asset].join(' '));
        }),
      );
  }

  /** Compares one address with its balances in the block `at`. True when its deposits explain them. */
  async function compareOne(
    owner: Owner,
    { balances, at, isThorough }: { balances: Balances; at: CursorBody; isThorough: boolean },
  ): Promise<boolean> {
    const stored = await documents.load('evm_deposit', owner.callId);
    if (stored === null) return false;
    const before = stored.body;
    // The watcher reads old blocks again, in which what has left the address since was still there.
    if (before.measured !== undefined && at.number < before.measured.block) return false;
    const view = { balances, at };
    const isOdd = place.assets.some(({ asset }) => (surplusOf(before, view, asset) ?? 0n) !== 0n);
    const isPending = before.deposits.some(({ by, creditedAt }) => by === 'balance' && creditedAt === null);
    if (!isThorough && !isOdd && !isPending && before.measured !== undefined) return true;
    // The deposits may be of later blocks than the balances if the watcher has continued.
    const cursor = await documents.load('evm_cursor', network.network);
    if (cursor === null || cursor.body.hash !== at.hash) return false;
    const nonce = await rpc.transactionCount(owner.address, at.number);
    let body = before.measured === undefined ? opened(before, view, nonce) : await swept(owner, before, view, nonce);
    // Until a sweep is final, what is missing cannot be told from what was swept.
    const isSettled = nonce === body.measured?.nonce;
    const unread: number[] = [];
    let isWaiting = false;
    for (const { asset, token } of place.assets) {
      const surplus = surplusOf(body, view, asset);
      if (surplus === null) continue;
      if (surplus < 0n && isSettled) body = without(body, asset, -surplus);
      if (token === null) {
        if (surplus >= 0n) body = await creditedBy(body, asset, at);
        if (surplus > 0n) body = await arrived(owner, body, { asset, units: surplus, newest: at.number });
      } else if (surplus > 0n) {
        const step = stepFor(owner, body, { asset, newest: at.number });
        if (step === 'hold') body = held(owner, body, { asset, units: surplus, balance: balances.get(asset) ?? 0n });
        else isWaiting = true;
        if (typeof step === 'number') unread.push(step);
      }
    }
    if (body !== before) await store(stored, body, cursor);
    if (unread.length > 0) await readAgain(place, rpc, Math.min(...unread));
    return body === before && !isWaiting && !isOdd && !isPending;
  }

  async function store(stored: Kinds['evm_deposit'], body: DepositBody, cursor: Cursor): Promise<void> {
    const { id } = stored;
    const writes: Write[] = [{ kind: 'evm_deposit', next: { ...stored, body } }];
    if (body.deposits.length > stored.body.deposits.length && !cursor.body.unsettled.includes(id)) {
      const unsettled = [...cursor.body.unsettled, id];
      writes.push({ kind: 'evm_cursor', next: { ...cursor, body: { ...cursor.body, unsettled } } });
    }
    await documents.commit(...writes);
  }

  /**
   * What is due for tokens that no log explains. First a second comparison, and then the watcher reads the blocks once more, from the one
   * that is returned: the node may have left out logs, as one does that lags behind its balances. The amount is not part of the key, since
   * it changes in each round for a token whose balances change by themselves.
   */
  function stepFor(
    { address }: Owner,
    body: DepositBody,
    { asset, newest }: { asset: string; newest: number },
  ): 'wait' | 'hold' | number {
    const key = [address, asset].join(' ');
    const { times, readTo } = unexplained.get(key) ?? { times: 0, readTo: 0 };
    const from = Math.max(explained.get(address) ?? body.measured?.block ?? 0, readTo, newest - READ_AGAIN_MAX);
    const isUnread = times === 1 && from < newest;
    const isLast = times >= 2;
    unexplained.set(key, { times: isLast ? 0 : times + 1, readTo: isUnread ? newest : readTo });
    if (isUnread) return from + 1;
    return isLast ? 'hold' : 'wait';
  }

  /**
   * Where the balances of an address without a beginning are compared from. What it holds beyond its deposits may have been settled by
   * hand, so it is left to an operator.
   */
  function opened(body: DepositBody, view: View, nonce: number): DepositBody {
    let next: DepositBody = { ...body, measured: { block: view.at.finalized, nonce, spent: {} } };
    for (const { asset } of place.assets) {
      const surplus = surplusOf(next, view, asset) ?? 0n;
      next = withSpent(next, asset, -surplus);
      if (surplus <= 0n) continue;
      next = { ...next, unattributed: added(next.unattributed, asset, surplus) };
      const label = { network: network.network, address: body.address, asset, units: String(surplus) };
      place.grouped.add('unattributed_deposit', label);
    }
    return next;
  }

  /** Counts what the address itself spent in final blocks. `newest` is its count of transactions in the newest block. */
  async function swept(owner: Owner, body: DepositBody, view: View, newest: number): Promise<DepositBody> {
    const { measured } = body;
    const { finalized } = view.at;
    if (measured === undefined || finalized <= measured.block || newest <= measured.nonce) return body;
    const nonce = await nonceAt(owner.address, finalized);
    if (nonce === null || nonce <= measured.nonce) return body;
    const spent = await spentBy(owner.address, measured, { nonce, finalized });
    let next: DepositBody = { ...body, measured: { ...measured, block: finalized, nonce } };
    for (const { asset, token } of place.assets) {
      const missing = -(surplusOf(body, view, asset) ?? 0n);
      const units = token === null ? (spent ?? missing) : missing;
      if (units > 0n) next = withSpent(next, asset, units);
    }
    return next;
  }

  /** The native coins that the transactions of an address moved and paid for gas; null when the node does not have them all. */
  async function spentBy(
    address: Address,
    measured: Measured,
    { nonce, finalized }: { nonce: number; finalized: number },
  ): Promise<bigint | null> {
    if (nonce - measured.nonce > SWEEPS_MAX) return null;
    let spent = 0n;
    for (let next = measured.nonce; next < nonce; next += 1) {
      const range = { nonce: next, from: measured.block + 1, to: finalized };
      const spender = await findSpender({ ...place, address }, range);
      const receipt = spender === null ? null : await rpc.receipt(spender.transaction.hash);
      if (spender === null || receipt === null) return null;
      const { transaction } = spender;
      const isToItself = transaction.to !== null && isAddressEqual(transaction.to, address);
      const value = receipt.status === 'success' && !isToItself ? transaction.value : 0n;
      // Rollups add a fee for their layer 1, which viem passes on as it came.
      const { l1Fee = 0 } = receipt as { readonly l1Fee?: string | bigint | number };
      spent += value + receipt.gasUsed * receipt.effectiveGasPrice + BigInt(l1Fee);
    }
    return spent;
  }

  async function nonceAt(address: Address, block: number): Promise<number | null> {
    return rpc.transactionCount(address, block).catch((error: unknown) => {
      if (error instanceof RpcOutageError) throw error;
      return null;
    });
  }

  /** Records native coins that no other deposit explains as a deposit, in the block in which the balance first shows them. */
  async function arrived(
    owner: Owner,
    body: DepositBody,
    { asset, units, newest }: { asset: string; units: bigint; newest: number },
  ): Promise<DepositBody> {
    const block = await blockOf(owner, body, asset, newest);
    const header = await rpc.blockAt(block);
    if (header === null) return body;
    const by = 'balance' as const;
    // What was found by the balance before: the same arrival has the same id after a reorganization.
    const start = sum(body.deposits.filter((one) => one.by === by && one.asset === asset));
    const hash = keccak256(stringToHex([network.network, owner.address, asset, String(start)].join(' ')));
    if (body.deposits.some((one) => one.hash === hash)) return body;
    const earlier = body.reorged.find((one) => one.hash === hash);
    const deposit: StoredDeposit = {
      hash,
      index: 0,
      asset,
      units: String(units),
      block,
      blockHash: header.hash,
      at: header.at,
      creditedAt: earlier?.creditedAt ?? null,
      by,
    };
    return {
      ...body,
      deposits: [...body.deposits, deposit],
      reorged: body.reorged.filter((one) => one.hash !== hash),
    };
  }

  /** The first block in which the balance is above what the deposits up to it explain; the newest one where the node does not tell. */
  async function blockOf(owner: Owner, body: DepositBody, asset: string, newest: number): Promise<number> {
    let low = Math.max(explained.get(owner.address) ?? body.measured?.block ?? 0, newest - SEARCH_MAX);
    let high = newest;
    try {
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        const block = await rpc.blockAt(middle);
        if (block === null) return newest;
        const [balances] = await balancesAt(place, rpc, { owners: [owner.address], block });
        const surplus = balances === undefined ? null : surplusOf(body, { balances, at: { number: middle } }, asset);
        if (surplus === null) return newest;
        if (surplus > 0n) high = middle;
        else low = middle;
      }
      return high;
    } catch {
      return newest;
    }
  }

  /** Credits the deposits that were found by the balance, still shown by it, and final. */
  async function creditedBy(body: DepositBody, asset: string, { number, finalized }: CursorBody) {
    let isChanged = false;
    const deposits: StoredDeposit[] = [];
    for (const deposit of body.deposits) {
      const { by, creditedAt, block, blockHash } = deposit;
      const isDue =
        by === 'balance' &&
        deposit.asset === asset &&
        creditedAt === null &&
        block <= finalized &&
        number - block + 1 >= requiredOf(place);
      const isThere = isDue && (await rpc.blockAt(block))?.hash === blockHash;
      isChanged ||= isThere;
      if (isThere) unclaimed(place, body, deposit);
      deposits.push(isThere ? { ...deposit, creditedAt: now() } : deposit);
    }
    return isChanged ? { ...body, deposits } : body;
  }

  /** Leaves tokens that no log explains to an operator, with an alarm. */
  function held(
    owner: Owner,
    body: DepositBody,
    { asset, units, balance }: { asset: string; units: bigint; balance: bigint },
  ): DepositBody {
    const credited = String(sum(body.deposits.filter((one) => one.asset === asset && one.by !== 'own')));
    const label = { network: network.network, call: owner.callId, address: owner.address, asset };
    place.alarms.raise('deposit_missed', { ...label, balance: String(balance), credited });
    return {
      ...withSpent(body, asset, -units),
      unattributed: added(body.unattributed, asset, units),
    };
  }
}

/** The balances of an address, and the block in which it had them. */
interface View {
  readonly balances: Balances;
  readonly at: CursorBody;
}

/** The next addresses of the round through all of them; none until a minute has passed. */
function nextSlice(own: readonly Owner[], compared: Kinds['evm_compared'] | null, now: Instant): readonly Owner[] {
  if (compared === null) return own.slice(0, SLICE);
  const { address, at } = compared.body;
  if (now - at < EVERY_MS) return [];
  const after = own.findIndex((owner) => owner.address === address);
  const rest = own.slice(after + 1, after + 1 + SLICE);
  return rest.length > 0 ? rest : own.slice(0, SLICE);
}

/** What arrived by that block and is no deposit; negative while something is missing, null while the token does not answer. */
function surplusOf(
  { measured, deposits }: DepositBody,
  { balances, at }: { readonly balances: Balances; readonly at: { readonly number: number } },
  asset: string,
): bigint | null {
  const balance = balances.get(asset) ?? null;
  if (balance === null) return null;
  const here = deposits.filter((one) => one.asset === asset && one.block <= at.number);
  return balance + BigInt(measured?.spent[asset] ?? '0') - sum(here);
}

/** Takes back what is missing from amounts that are not credited: first unattributed ones, then deposits found by a balance. */
function without(body: DepositBody, asset: string, missing: bigint): DepositBody {
  const open = BigInt(body.unattributed?.[asset] ?? '0');
  const taken = open < missing ? open : missing;
  let left = missing - taken;
  const next =
    taken === 0n ? body : { ...withSpent(body, asset, taken), unattributed: added(body.unattributed, asset, -taken) };
  if (left === 0n) return next;
  let isChanged = false;
  const deposits = next.deposits
    .toReversed()
    .flatMap((deposit) => {
      if (deposit.by !== 'balance' || deposit.asset !== asset || deposit.creditedAt !== null || left === 0n)
        return [deposit];
      const units = BigInt(deposit.units);
      const lost = units < left ? units : left;
      left -= lost;
      isChanged = true;
      return lost === units ? [] : [{ ...deposit, units: String(units - lost) }];
    })
    .toReversed();
  return isChanged ? { ...next, deposits } : next;
}

function withSpent(body: DepositBody, asset: string, units: bigint): DepositBody {
  const { measured } = body;
  return measured === undefined
    ? body
    : { ...body, measured: { ...measured, spent: added(measured.spent, asset, units) } };
}

/** The units with more, or fewer, of one asset. */
export function added(units: Units | undefined, asset: string, more: bigint): Units {
  const { [asset]: before = '0', ...rest } = units ?? {};
  const total = BigInt(before) + more;
  return total === 0n ? rest : { ...rest, [asset]: String(total) };
}

const sum = (deposits: readonly StoredDeposit[]) => deposits.reduce((total, { units }) => total + BigInt(units), 0n);
