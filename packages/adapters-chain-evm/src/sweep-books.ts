import { ACCOUNTS } from '@gateramp/provider-legs';

import { creditedUnits, entryOf, textOf, unitsIn } from './booking.js';
import type { Kinds, Units } from './documents.js';
import type { Place } from './place.js';

/** Deposit addresses that are compared in one round; the next round continues after them. */
const ADDRESSES_PER_ROUND = 200;

/**
 * Books what was moved away from deposit addresses, as a withdrawal. A sweep into the wallet is a top-up of the wallet as well, and both
 * cancel out. Returns the work of one round.
 */
export function sweepBooksOf(place: Place): () => Promise<void> {
  const { documents, network } = place;
  let after: string | null = null;
  return async () => {
    const books = await documents.load('evm_books', place.walletId);
    if (books === null) return;
    const { block } = books.body;
    const page = await documents.page('evm_deposit', after, ADDRESSES_PER_ROUND);
    after = page.length < ADDRESSES_PER_ROUND ? null : (page.at(-1)?.id ?? null);
    for (const deposit of page) if (deposit.body.network === network.network) await bookSweep(place, deposit, block);
  };
}

async function bookSweep(place: Place, { id, body }: Kinds['evm_deposit'], block: number): Promise<void> {
  const { documents, rpc, assets } = place;
  const credited = creditedUnits(body, block);
  if (credited.size === 0) return;
  const stored = await documents.load('evm_swept', id);
  const swept: Units = stored?.body.units ?? {};
  const moved = new Map<string, bigint>();
  for (const { asset, token } of assets) {
    const held = (credited.get(asset) ?? 0n) - unitsIn(swept, asset);
    if (held <= 0n) continue;
    const balance = await rpc.balance(body.address, token, block);
    if (balance < held) moved.set(asset, held - balance);
  }
  if (moved.size === 0) return;
  const units = new Map(assets.map(({ asset }) => [asset, unitsIn(swept, asset) + (moved.get(asset) ?? 0n)]));
  const next: Kinds['evm_swept'] = {
    id,
    version: stored?.version ?? 0,
    status: 'active',
    dueAt: null,
    body: { network: body.network, units: textOf(units) },
  };
  const given = { id: `sweep:${id}:${block}`, operationId: `wallet:${place.walletId}`, against: ACCOUNTS.funding };
  const entries = entryOf(place, given, new Map([...moved].map(([asset, amount]) => [asset, -amount])));
  await documents.book(entries, { kind: 'evm_swept', next });
}
