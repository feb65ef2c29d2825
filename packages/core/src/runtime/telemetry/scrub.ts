const REDACTED = '[redacted]';

type Rule = readonly [pattern: RegExp, instead: string | ((found: string) => string)];

/** An id of ours may hold as many digits as a card number has. */
const OWN_ID = '[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const IS_OWN_ID = new RegExp(`^(?:${OWN_ID})$`);

const RULES: readonly Rule[] = [
  [/(sk|pk)_(test|live)_[0-9A-Za-z_]+/g, `$1_$2_${REDACTED}`],
  [/gsec_[0-9A-Za-z_]+/g, `gsec_${REDACTED}`],
  [/whsec_[0-9A-Za-z_+/=-]+/g, `whsec_${REDACTED}`],
  [/_secret_[0-9A-Za-z]+/g, `_secret_${REDACTED}`],
  // Tokens, and what was sealed.
  [/eyJ[0-9A-Za-z_-]+\.[0-9A-Za-z_.-]+/g, REDACTED],
  [/mk\d\.[0-9A-Za-z.+/=]+/g, REDACTED],
  [/\b(Bearer|Basic) +[^\s"',;]+/gi, `$1 ${REDACTED}`],
  [/\b(password|passwd|pwd)=[^\s&;"']+/gi, `$1=${REDACTED}`],
  // A user and password in a URL.
  [/:\/\/[^\s/@]+@/g, `://${REDACTED}@`],
  // 32 bytes in base64, as master keys are written.
  [
    /(?<![0-9A-Za-z+/_-])[0-9A-Za-z+/_-]{43}(?:=|(?![0-9A-Za-z+/_=-]))/g,
    (found) => (isRandom(found) ? REDACTED : found),
  ],
  // Account numbers of a few digits are known by their name alone.
  [/((?:account|routing)[ _-]?number\W{1,6})\d{4,17}(?!\d)/gi, `$1${REDACTED}`],
  // Card and account numbers.
  [
    new RegExp(`\\b(?:${OWN_ID})\\b|(?<!\\d)\\d(?:[ -]?\\d){12,18}(?!\\d)`, 'g'),
    (found) => (IS_OWN_ID.test(found) ? found : REDACTED),
  ],
  [
    /(?<![0-9A-Za-z])[A-Za-z]{2}\d{2}(?: ?[0-9A-Za-z]{4}){2,7}(?: ?[0-9A-Za-z]{1,3})?(?![0-9A-Za-z])/g,
    (found) => (isAccount(found) ? REDACTED : found),
  ],
  // V8 quotes what it could not parse.
  [/"[^]*" is not valid JSON/g, 'the text is not valid JSON'],
];

/** Ids and dotted names such as event types. Most logged values are one of these, and no rule applies to them. */
const PLAIN = new RegExp(`^(?!.*(?:sk|pk|sec|secret)_)(?:(?:[a-z]+_)?(?:${OWN_ID})|[a-z]+(?:[._][a-z]+)*)$`);
/** Shorter than a master key in base64, which has 43 characters and more. */
const PLAIN_MAX = 42;

/** Of a longer text no more is kept: looking through a whole body takes seconds. */
const TEXT_MAX = 8_192;
/** What is at the cut may be half a secret, which would not be recognised. */
const CUT_OFF = 80;

/**
 * The text without what looks like a secret of ours or of a buyer: keys, signing and client secrets, tokens, passwords, master keys, card
 * numbers and accounts. Every logger passes through it what others have written, such as messages of errors.
 */
export function scrubText(text: string): string {
  if (text.length <= PLAIN_MAX && PLAIN.test(text)) return text;
  return text.length > TEXT_MAX ? `${scrubbed(text.slice(0, TEXT_MAX)).slice(0, -CUT_OFF)}…` : scrubbed(text);
}

function scrubbed(text: string): string {
  return RULES.reduce(
    // Two overloads of one method: each takes the replacement that its rule has.
    (left, [pattern, instead]) =>
      typeof instead === 'string' ? left.replace(pattern, instead) : left.replace(pattern, instead),
    text,
  );
}

/** A path may be as long as a key; it has fewer different characters. */
function isRandom(text: string): boolean {
  return text.endsWith('=') || new Set(text).size >= 20;
}

/** In capitals, with right check digits, or mostly digits: words that follow an abbreviation are none of these. */
function isAccount(text: string): boolean {
  return !/[a-z]/.test(text) || (text.match(/\d/g) ?? []).length >= 10 || hasCheckDigits(text);
}

/** ISO 7064 mod 97-10, as IBANs have it. */
function hasCheckDigits(text: string): boolean {
  const compact = text.replaceAll(' ', '').toUpperCase();
  let rest = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4))
    for (const digit of String(parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/** Members whose values are never written, whatever they are; compared without case, `_` and `-`. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'accountnumber',
  'apikey',
  'authorization',
  'cardnumber',
  'clientsecret',
  'cookie',
  'cvc',
  'embedtoken',
  'iban',
  'kyc',
  'kycpackage',
  'masterkey',
  'password',
  'paymentdetails',
  'payoutdetails',
  'routingnumber',
  'secret',
  'secretkey',
  'setcookie',
  'token',
  'webhooksecret',
]);

/** Whether the value of a member of this name is never written. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.replace(/[_-]/g, '').toLowerCase());
}

/** Levels below the fields of a line that are looked through; what lies deeper is left out. */
const DEPTH_MAX = 4;

/** A value of a log line without its secrets, by name and by look. */
export function scrubValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEPTH_MAX) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [scrubText(name), scrubMember(name, member, depth + 1)]),
  );
}

/** The value of a member of this name without its secrets. */
export function scrubMember(name: string, value: unknown, depth = 0): unknown {
  return isSecretName(name) ? REDACTED : scrubValue(value, depth);
}
