import type { Deposit, DepositAddress, LegCall } from '@gateramp/provider-legs';
import { formatUnits } from 'viem';

import type { AddressBook } from './address-book.js';
import type { Place } from './place.js';
import { requiredOf } from './required.js';
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
        const writes = await book.writesForNext({ callId, network: network.network, createdAt: now() });
        await documents.commit(...writes);
      }
    },

    async list({ callId }: DepositCall): Promise<readonly Deposit[]> {
      const [known, cursor] = await Promise.all([
        documents.load('evm_deposit', callId),
        documents.load('evm_cursor', network.network),
      ]);
      if (known === null || known.body.network !== network.network) return [];
      const head = cursor?.body.number ?? 0;
      return known.body.deposits.map((deposit) => ({
        network: network.network,
        asset: deposit.asset,
        amount: formatUnits(BigInt(deposit.units), decimalsOf(place, deposit.asset)),
        hash: deposit.hash,
        index: deposit.index,
        at: deposit.at,
        // One less than required until the credit is stored, so that a reorganization after it is noticed.
        seen: deposit.creditedAt === null ? Math.min(Math.max(head - deposit.block + 1, 0), required - 1) : required,
        required,
      }));
    },
  };
}

function decimalsOf({ assets }: Place, name: string): number {
  const found = assets.find(({ asset }) => asset === name);
  if (found === undefined) throw new Error(`There are deposits in ${name}, which is not configured.`);
  return found.decimals;
}
