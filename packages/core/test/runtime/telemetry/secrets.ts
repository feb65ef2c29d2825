import { fc } from '@fast-check/vitest';

const base62 = fc.stringMatching(/^[0-9A-Za-z]{32}$/);
const base64url = fc.stringMatching(/^[0-9A-Za-z_-]{10,40}$/);
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

const withLuhn = (digits: string): string => {
  const sum = [...digits]
    .toReversed()
    .map(Number)
    .reduce((total, digit, at) => total + (at % 2 === 0 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
};

const grouped = (text: string, by: string): string => text.match(/.{1,4}/g)?.join(by) ?? text;

/** Valid check digits by mod 97-10 for a country and its account part. */
const withCheck = (country: string, account: string): string => {
  const numeric = [...`${account}${country}00`].map((one) => String(parseInt(one, 36))).join('');
  return `${country}${String(98n - (BigInt(numeric) % 97n)).padStart(2, '0')}${account}`;
};

const card = fc
  .tuple(fc.stringMatching(/^[3-6][0-9]{14}$/), fc.constantFrom('', ' ', '-'))
  .map(([digits, by]) => grouped(withLuhn(digits), by));

const iban = fc
  .tuple(
    fc.oneof(
      fc.stringMatching(/^[0-9]{18}$/).map((account) => withCheck('DE', account)),
      fc.stringMatching(/^[A-Z]{4}[0-9]{14}$/).map((account) => withCheck('GB', account)),
      fc.stringMatching(/^[A-Z]{4}[0-9]{10}$/).map((account) => withCheck('NL', account)),
      fc.stringMatching(/^[A-Z]{4}[0-9]{5}[0-9A-Z]{18}$/).map((account) => withCheck('MT', account)),
    ),
    fc.constantFrom('', ' '),
    fc.boolean(),
  )
  .map(([text, by, isLower]) => grouped(isLower ? text.toLowerCase() : text, by));

/** All kinds of secrets that a foreign error may quote. */
export const secret = fc.oneof(
  fc
    .tuple(fc.constantFrom('sk_test_', 'sk_live_', 'pk_test_', 'pk_live_'), base62)
    .map(([start, rest]) => start + rest),
  base62.map((rest) => `whsec_${rest}`),
  fc.tuple(fc.stringMatching(/^[0-9a-f]{24}$/), base62).map(([id, rest]) => `gsec_${id}_${rest}`),
  fc.tuple(base64url, base64url, base64url).map(([head, claims, sign]) => `eyJ${head}.eyJ${claims}.${sign}`),
  bytes32.map((key) => key.toString('base64')),
  bytes32.map((key) => `mk2.0123456789abcdef.${key.toString('base64')}`),
  card,
  iban,
);

/** A sentence that contains the secret, as one word or in quotes. */
export function sentenceWith(text: string): fc.Arbitrary<string> {
  const word = fc.stringMatching(/^[A-Za-z]{0,9}$/);
  const before = fc.constantFrom(' ', '"', '=', ':', '(', ', ', '\n');
  const after = fc.constantFrom(' ', '"', ')', ', ', '. ', '\n');
  return fc.tuple(word, before, after, word).map((parts) => `${parts[0]}${parts[1]}${text}${parts[2]}${parts[3]}`);
}
