import { type LedgerPosition, tokenAccount, tokenCurrency } from '@gateramp/provider-legs';
import { formatUnits } from 'viem';

import { creditedUnits, unitsIn } from './booking.js';
import type { Kinds } from './documents.js';
import type { Place } from './place.js';
import { isOf, settledId } from './wallet-books.js';

/**
 * What the chain says about the tokens of one network: the wallet at the final block at which it was booked last, less the sends after it
 * that are confirmed, and the credited deposits that are still at their addresses.
 */
export async function positionsOn(place: Place): Promise<readonly LedgerPosition[]> {
  const {
    documents,
    walletId,
    network: { network },
  } = place;
  const books = await documents.load('evm_books', walletId);
  const first = books?.body.nonce ?? 0;
  const [later, due, deposits, swept] = await Promise.all([
    documents.between('evm_settled', settledId(place, first - 1), `${walletId};`),
    documents.allDue('evm_send'),
    documents.all('evm_deposit'),
    documents.all('evm_swept'),
  ]);
  const open = due.filter(
    ({ status, body }) => status === 'confirmed' && isOf(place, body) && (body.nonce ?? 0) >= first,
  );
  return place.assets.map(({ asset, decimals }) => {
    const sent = [
      ...later.map(({ body }) => unitsIn(body.spent, asset)),
      ...open.filter(({ body }) => body.asset === asset).map(({ body }) => BigInt(body.units)),
    ];
    const credited = here(deposits, network).map(({ body }) => creditedUnits(body, Infinity).get(asset) ?? 0n);
    const moved = here(swept, network).map(({ body }) => unitsIn(body.units, asset));
    const text = (units: bigint) => formatUnits(units, decimals);
    return {
      account: tokenAccount(network),
      currency: tokenCurrency({ asset, network }),
      parts: [
        {
          name: `wallet at block ${books?.body.block ?? 'unknown'}`,
          amount: text(unitsIn(books?.body.balances ?? {}, asset)),
        },
        { name: 'sent since', amount: text(-total(sent)) },
        { name: 'deposit addresses', amount: text(total(credited) - total(moved)) },
      ],
    };
  });
}

const total = (units: readonly bigint[]) => units.reduce((sum, one) => sum + one, 0n);

function here<Doc extends Kinds['evm_deposit'] | Kinds['evm_swept']>(documents: readonly Doc[], network: string) {
  return documents.filter(({ body }) => body.network === network);
}
