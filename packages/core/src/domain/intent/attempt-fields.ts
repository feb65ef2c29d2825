import type { FieldError } from '../refusal.js';
import type { Flow } from '../session/terms.js';
import type { PaymentMethod } from './intent.js';

/** Kinds of bank account that an off-ramp pays out to. */
export const PAYOUT_TYPES = ['ach', 'iban'] as const;

/** One of `PAYOUT_TYPES`. */
export type PayoutType = (typeof PAYOUT_TYPES)[number];

/** Fields of an attempt that not every flow uses; on the wire they have these names. */
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

/** What the buyer's browser has filled in itself; what its session fixes is not among it. */
export type GivenFields = Readonly<Record<FlowField, unknown>>;

/** Every field of the attempt that its flow cannot do without, or does not use. A method still open asks for nothing. */
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

/** An account of a kind that cannot receive the currency. None given, or one that the flow does not use, is no error here. */
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

/** A country, two check digits and an account, in groups of four or none; the check digits must be right (ISO 13616, MOD 97-10). */
export function isIban(text: string): boolean {
  const iban = text.replaceAll(' ', '').toUpperCase();
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}$/.test(iban)) return false;
  return remainder(iban.slice(4) + iban.slice(0, 4)) === 1;
}

/** Of the number obtained by writing A as 10, B as 11 and so on, divided by 97. */
function remainder(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  return rest;
}

/** Nine digits with the check digit of the American Bankers Association, as ACH names a bank. */
export function isRoutingNumber(text: string): boolean {
  if (!/^[0-9]{9}$/.test(text)) return false;
  const sum = [...text].reduce((total, digit, at) => total + Number(digit) * (WEIGHTS[at % 3] ?? 0), 0);
  // Nine zeros add up too, and name no bank.
  return sum > 0 && sum % 10 === 0;
}

const WEIGHTS = [3, 7, 1];

/** The buyer's own addresses, under their names on the wire. */
type BuyerAddresses = Readonly<Record<'wallet_address' | 'refund_address', string | null>>;

/** EVM addresses without a known private key. Funds sent there are lost, and not every provider refuses them. */
const BURN_ADDRESS = /^0x0{36}(?:0000|dead)$/i;

/** The first field that holds a burn address, or null. */
export function burnAddressField(addresses: BuyerAddresses): string | null {
  return fieldWhere(addresses, (address) => BURN_ADDRESS.test(address));
}

/** The first field that holds one of the addresses to which a deposit was asked for, or null: those belong to the provider. */
export function depositAddressField(deposits: readonly string[], addresses: BuyerAddresses): string | null {
  return fieldWhere(addresses, (address) => deposits.some((deposit) => isSameAddress(deposit, address)));
}

function fieldWhere(addresses: BuyerAddresses, isUnusable: (address: string) => boolean): string | null {
  const [found] = Object.entries(addresses).filter(([, address]) => address !== null && isUnusable(address));
  return found?.[0] ?? null;
}

/** The case of an EVM address is its checksum; other formats tell addresses apart by it. */
function isSameAddress(one: string, other: string): boolean {
  return comparableAddress(one) === comparableAddress(other);
}

function comparableAddress(address: string): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address;
}
