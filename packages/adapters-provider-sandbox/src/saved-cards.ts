import type { Mode } from '@gateramp/core';
import type { Instant, SavedMethod } from '@gateramp/core/domain';
import type { CustomerOrder, ForgetOrder, SavedMethodDetails } from '@gateramp/core/ports';
import { type ConsentedCard, type KeptCard, requiresCvc, type SavedCard } from './cards.js';
import { digest } from './digest.js';
import { changeRow, type SandboxLedger } from './ledger.js';
import { newOperation, type SandboxOperation } from './operation.js';

/** The maximum number of cards of one customer; saving another removes the oldest. */
const CARDS_MAX = 20;

type Customer = Pick<CustomerOrder, 'customer' | 'mode'>;

export async function listCards(ledger: SandboxLedger, order: Customer): Promise<readonly SavedMethod[]> {
  return (await cardsOf(ledger, order)).map(({ id, last4, expiryMonth, expiryYear, asks }) => ({
    id,
    type: 'card',
    // The brand of every test card.
    brand: 'visa',
    last4,
    expiryMonth,
    expiryYear,
    requiresCvc: requiresCvc({ asks }),
  }));
}

export async function findCard(
  ledger: SandboxLedger,
  mode: Mode,
  { customer, savedMethod }: SavedMethodDetails,
): Promise<KeptCard | null> {
  return (await cardsOf(ledger, { customer, mode })).find(({ id }) => id === savedMethod) ?? null;
}

/**
 * Saves the card that the operation has just paid with. A card that is already saved keeps its id. If the process crashes before this, the
 * consent is lost, and the buyer is asked again.
 */
export async function keepCard(
  ledger: SandboxLedger,
  { operationId, mode, updatedAt }: SandboxOperation,
  { customer, ...card }: ConsentedCard,
): Promise<void> {
  const saved: KeptCard = { id: `card_${digest('saved-card', operationId).slice(0, 24)}`, ...card };
  await changeCards(ledger, { customer, mode, now: updatedAt }, (cards) =>
    cards.some((one) => isSame(one, card)) ? cards : [saved, ...cards].slice(0, CARDS_MAX),
  );
}

export async function forgetCard(ledger: SandboxLedger, order: ForgetOrder): Promise<boolean> {
  const isTheirs = ({ id }: KeptCard) => id === order.methodId;
  if (!(await cardsOf(ledger, order)).some(isTheirs)) return false;
  let isForgotten = false;
  await changeCards(ledger, order, (cards) => {
    isForgotten = cards.some(isTheirs);
    return isForgotten ? cards.filter((card) => !isTheirs(card)) : cards;
  });
  return isForgotten;
}

/** Serializes the saved cards of a customer in test mode for a checkpoint. Null if there are none. */
export async function cardsText(ledger: SandboxLedger, customer: string): Promise<string | null> {
  const cards = await cardsOf(ledger, { customer, mode: 'test' });
  return cards.length === 0 ? null : JSON.stringify(cards);
}

export async function restoreCards(ledger: SandboxLedger, saved: string, customer: string): Promise<void> {
  const id = rowOf({ customer, mode: 'test' });
  // Written by `cardsText`.
  const savedCards = JSON.parse(saved) as readonly KeptCard[];
  // The row's time is never read.
  await changeRow(ledger, id, (known) => known ?? { ...newOperation(id, 'test', 0), savedCards });
}

async function cardsOf(ledger: SandboxLedger, order: Customer): Promise<readonly KeptCard[]> {
  return (await ledger.read(rowOf(order)))?.savedCards ?? [];
}

async function changeCards(
  ledger: SandboxLedger,
  order: Customer & { readonly now: Instant },
  change: (cards: readonly KeptCard[]) => readonly KeptCard[],
): Promise<void> {
  const id = rowOf(order);
  await changeRow(ledger, id, (known) => {
    const row = known ?? newOperation(id, order.mode, order.now);
    const cards = row.savedCards ?? [];
    const savedCards = change(cards);
    return savedCards === cards ? row : { ...row, savedCards, updatedAt: order.now };
  });
}

/** The id of a row in the same ledger, of an operation that is never started and therefore never deleted. */
function rowOf({ customer, mode }: Customer): string {
  return `customer_${mode}_${customer}`;
}

function isSame(one: SavedCard, other: SavedCard): boolean {
  return one.last4 === other.last4 && one.expiryMonth === other.expiryMonth && one.expiryYear === other.expiryYear;
}
