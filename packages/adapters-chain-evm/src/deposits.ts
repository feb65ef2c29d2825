import type { Instant } from '@gateramp/core/domain';
import type { Deposit, DepositAddress, LegCall, LegDocument } from '@gateramp/provider-legs';
import { type Address, formatUnits, keccak256, stringToHex } from 'viem';

import type { AddressBook } from './address-book.js';
import { balancesAt } from './balances.js';
import { added } from './compare.js';
import type { DepositBody, Measured, StoredDeposit } from './documents.js';
import type { Place } from './place.js';
import { requiredOf } from './required.js';
import { withDeadline } from './rpc.js';
import { ensureCursor } from './watcher.js';

type DepositCall = LegCall & { readonly network: string };

/** The deposit addresses of one network and their deposits. */
export function depositsOn(place: Place, book: AddressBook) {
  const { documents, network, now } = place;
  const required = requiredOf(place);

  return {
    /** The deposit address of the call. One commit takes its index and records it. */
    async address({ callId }: DepositCall): Promise<DepositAddress> {
      // Reading of blocks starts before the address is published, so that no deposit is missed.
      await ensureCursor(place);
      for (;;) {
        const known = await documents.load('evm_deposit', callId);
        if (known !== null) {
          if (known.body.network !== network.network)
            throw new Error(`Call ${callId} has a deposit address on ${known.body.network}.`);
          return { address: known.body.address, memo: null };
        }
        const writes = await book.writesForNext({ callId, network: network.network, createdAt: now() }, (address) =>
          beginning(place, address),
        );
        await documents.commit(...writes);
      }
    },

    async list({ callId }: DepositCall): Promise<readonly Deposit[]> {
      const [known, cursor] = await Promise.all([
        documents.load('evm_deposit', callId),
        documents.load('evm_cursor', network.network),
      ]);
      if (known === null || known.body.network !== network.network) return [];
      return ofOthers(known.body).map((deposit) => shown(deposit, cursor?.body.number ?? 0));
    },

    /** Every deposit address of the network with what arrived. */
    async arrived(): Promise<readonly ArrivedAtAddress[]> {
      const head = (await documents.load('evm_cursor', network.network))?.body.number ?? 0;
      const all = await documents.all('evm_deposit');
      return all
        .filter(({ body }) => body.network === network.network)
        .map(({ id, body }) => ({
          callId: id,
          network: network.network,
          address: body.address,
          createdAt: body.createdAt,
          deposits: ofOthers(body).map((deposit) => shown(deposit, head)),
          unattributed: Object.entries(body.unattributed ?? {}).map(([asset, units]) => ({
            asset,
            amount: formatUnits(BigInt(units), decimalsOf(place, asset)),
          })),
        }));
    },

    /** The document of the address with these unattributed assets as deposits, to be committed, and the deposits. */
    async attributed(
      callId: string,
      assets: readonly string[],
      at: Instant,
    ): Promise<{ readonly documents: readonly LegDocument[]; readonly deposits: readonly Deposit[] }> {
      const [stored, cursor] = await Promise.all([
        documents.load('evm_deposit', callId),
        documents.load('evm_cursor', network.network),
      ]);
      if (stored === null || cursor === null) return { documents: [], deposits: [] };
      const { number, hash: blockHash } = cursor.body;
      let { body } = stored;
      // At or below every block that is compared from now on.
      const block = body.measured?.block ?? number;
      const made: StoredDeposit[] = [];
      for (const asset of assets) {
        const units = body.unattributed?.[asset];
        if (units === undefined) continue;
        const nth = body.deposits.filter(({ by }) => by === 'operator').length;
        const id = keccak256(stringToHex(['operator', network.network, body.address, asset, nth].join(' ')));
        const where = { block, blockHash, at, creditedAt: at };
        made.push({ hash: id, index: 0, asset, units, ...where, by: 'operator' });
        body = { ...credited(body, asset, BigInt(units)), deposits: [...body.deposits, ...made.slice(-1)] };
      }
      const document = documents.documentOf({ kind: 'evm_deposit', next: { ...stored, body } });
      return { documents: made.length === 0 ? [] : [document], deposits: made.map((one) => shown(one, number)) };
    },
  };

  function shown(deposit: StoredDeposit, head: number): Deposit {
    return {
      network: network.network,
      asset: deposit.asset,
      amount: formatUnits(BigInt(deposit.units), decimalsOf(place, deposit.asset)),
      hash: deposit.hash,
      ...(deposit.by === undefined ? {} : { isMeasured: true }),
      index: deposit.index,
      at: deposit.at,
      // One less than required until the credit is stored, so that a reorganization after it is noticed.
      seen: deposit.creditedAt === null ? Math.min(Math.max(head - deposit.block + 1, 0), required - 1) : required,
      required,
    };
  }
}

/** A deposit address with what arrived at it. */
export interface ArrivedAtAddress {
  readonly callId: string;
  readonly network: string;
  readonly address: Address;
  readonly createdAt: Instant;
  readonly deposits: readonly Deposit[];
  /** What its balance shows and no deposit explains. */
  readonly unattributed: readonly { readonly asset: string; readonly amount: string }[];
}

/** The deposits without what the operator sent. */
const ofOthers = ({ deposits }: DepositBody) => deposits.filter(({ by }) => by !== 'own');

/** Moves an unattributed amount to the deposits: the balance is explained as before. */
function credited(body: DepositBody, asset: string, units: bigint): DepositBody {
  const { measured } = body;
  return {
    ...body,
    unattributed: added(body.unattributed, asset, -units),
    ...(measured === undefined ? {} : { measured: { ...measured, spent: added(measured.spent, asset, units) } }),
  };
}

/** What the address holds before it is published, which after a restored backup may be the deposits of an earlier operation. */
async function beginning(place: Place, address: Address): Promise<Measured | undefined> {
  const { rpc, documents, network } = place;
  try {
    const head = await withDeadline(rpc.head(), BEGINNING_MS);
    const [balances] = await balancesAt(place, rpc, { owners: [address], block: head });
    const nonce = await rpc.transactionCount(address, head.number);
    const cursor = await documents.load('evm_cursor', network.network);
    if (balances === undefined || cursor === null) return undefined;
    const held = [...balances].filter(([, units]) => units !== null && units > 0n);
    const spent = Object.fromEntries(held.map(([asset, units]) => [asset, String(-(units ?? 0n))]));
    return { block: cursor.body.finalized, nonce, spent };
  } catch {
    // The first comparison of its balances then begins with what it holds.
    return undefined;
  }
}

/** A buyer waits for the address. */
const BEGINNING_MS = 2_000;

function decimalsOf({ assets }: Place, name: string): number {
  const found = assets.find(({ asset }) => asset === name);
  if (found === undefined) throw new Error(`There are deposits in ${name}, which is not configured.`);
  return found.decimals;
}
