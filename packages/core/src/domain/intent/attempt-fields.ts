import type { FieldError } from '../refusal.js';
import type { Flow } from '../session/terms.js';
import type { PaymentMethod } from './intent.js';

/** Bank account types for off-ramp payouts. */
export const PAYOUT_TYPES = ['ach', 'iban'] as const;

/** One of `PAYOUT_TYPES`. */
export type PayoutType = (typeof PAYOUT_TYPES)[number];

/** Attempt fields that only some flows use, by their wire names. */
const USED_BY = {
  source_token: ['off_ramp', 'swap'],
  source_network: ['off_ramp', 'swap'],
  target_token: ['on_ramp', 'swap'],
  target_network: ['on_ramp', 'swap'],
  wallet_address: ['on_ramp', 'swap'],
  refund_address: ['off_ramp', 'swap'],
  payment_details: ['on_ramp'],
  payout_details: ['off_ramp'],
} as const satisfies Record<string, readonly Flow[]>;

type FlowField = keyof typeof USED_BY;

/** The fields as the buyer's browser sent them, without those that the session fixes. */
export type GivenFields = Readonly<Record<FlowField, unknown>>;

/** Errors for fields that the flow requires or does not use. Nothing is required of a method that is still open. */
export function attemptFieldErrors(
  flow: Flow,
  method: PaymentMethod | null,
  given: GivenFields,
): readonly FieldError[] {
  return [...unusedFields(flow, given), ...missingFields(flow, method, given)];
}

function unusedFields(flow: Flow, given: GivenFields): readonly FieldError[] {
  return FIELDS.filter((field) => isGiven(given, field) && !isUsed(field, flow)).map((field) => ({
    field,
    code: 'not_used',
    message: `${field} is not used by ${flow}; omit it`,
  }));
}

function missingFields(flow: Flow, method: PaymentMethod | null, given: GivenFields): readonly FieldError[] {
  const missing: FieldError[] = [];
  if (isUsed('refund_address', flow) && !isGiven(given, 'refund_address')) {
    missing.push({
      field: 'refund_address',
      code: 'required',
      message: 'refund_address is required: crypto that has to be returned is sent there',
    });
  }
  if (flow === 'on_ramp' && method === 'card' && !isGiven(given, 'payment_details')) {
    missing.push({
      field: 'payment_details',
      code: 'required',
      message:
        'payment_details is required for a card: card_number, expiry and cvc, or provider and token, or saved_method',
    });
  }
  return missing;
}

/** Refuses an account type that cannot receive the currency. No error if no account is given or the flow does not use one. */
export function payoutFieldErrors(flow: Flow, currency: string, type: PayoutType | null): readonly FieldError[] {
  const fitting: PayoutType = currency === 'USD' ? 'ach' : 'iban';
  if (type === null || type === fitting || !isUsed('payout_details', flow)) return [];
  const field = 'payout_details.type';
  return [{ field, code: 'invalid', message: `${field} must be ${fitting} for payouts in ${currency}` }];
}

const FIELDS: readonly FlowField[] = [
  'source_token',
  'source_network',
  'target_token',
  'target_network',
  'wallet_address',
  'refund_address',
  'payment_details',
  'payout_details',
];

export function isUsed(field: FlowField, flow: Flow): boolean {
  const flows: readonly Flow[] = USED_BY[field];
  return flows.includes(flow);
}

function isGiven(given: GivenFields, field: FlowField): boolean {
  return given[field] !== null;
}

/**
 * Whether the text is an IBAN: a country, two check digits and an account, optionally with spaces. Verifies the check digits (ISO 13616,
 * MOD 97-10).
 */
export function isIban(text: string): boolean {
  const iban = text.replaceAll(' ', '').toUpperCase();
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}$/.test(iban)) return false;
  return remainder(iban.slice(4) + iban.slice(0, 4)) === 1;
}

/** Modulo 97 of the number obtained by replacing A with 10, B with 11 and so on. */
function remainder(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  return rest;
}

/** Whether the text is an ABA routing number: nine digits with a valid check digit. */
export function isRoutingNumber(text: string): boolean {
  if (!/^[0-9]{9}$/.test(text)) return false;
  const sum = [...text].reduce((total, digit, at) => total + Number(digit) * (WEIGHTS[at % 3] ?? 0), 0);
  // Nine zeros pass the checksum but identify no bank.
  return sum > 0 && sum % 10 === 0;
}

const WEIGHTS = [3, 7, 1];

/** The addresses supplied by the buyer, by their wire names. */
type BuyerAddresses = Readonly<Record<'wallet_address' | 'refund_address', string | null>>;

/** EVM addresses without a known private key. Funds sent there are lost, and not every provider refuses them. */
const BURN_ADDRESS = /^0x0{36}(?:0000|dead)$/i;

/** The first field that holds a burn address, or null. */
export function burnAddressField(addresses: BuyerAddresses): string | null {
  return fieldWhere(addresses, (address) => BURN_ADDRESS.test(address));
}

/**
 * The first field that holds one of the attempt's deposit addresses, or null. Those belong to the provider, so funds must not be sent back
 * there.
 */
export function depositAddressField(deposits: readonly string[], addresses: BuyerAddresses): string | null {
  return fieldWhere(addresses, (address) => deposits.some((deposit) => isSameAddress(deposit, address)));
}

function fieldWhere(addresses: BuyerAddresses, isUnusable: (address: string) => boolean): string | null {
  const [found] = Object.entries(addresses).filter(([, address]) => address !== null && isUnusable(address));
  return found?.[0] ?? null;
}

/** EVM addresses use letter case as a checksum only; in other formats it is significant. */
function isSameAddress(one: string, other: string): boolean {
  return comparableAddress(one) === comparableAddress(other);
}

function comparableAddress(address: string): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address;
}
