const REDACTED = '[redacted]';

type Rule = readonly [pattern: RegExp, instead: string | ((found: string) => string)];

/** Ids of this project and of traces, digests, and addresses and hashes of a chain may contain as many digits as a card number. */
const OWN_ID =
  '[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})';
const IS_OWN_ID = new RegExp(`^(?:${OWN_ID})$`);

const RULES: readonly Rule[] = [
  [/(sk|pk)_(test|live)_[0-9A-Za-z_]+/g, `$1_$2_${REDACTED}`],
  [/gsec_[0-9A-Za-z_]+/g, `gsec_${REDACTED}`],
  [/whsec_[0-9A-Za-z_+/=-]+/g, `whsec_${REDACTED}`],
  [/_secret_[0-9A-Za-z]+/g, `_secret_${REDACTED}`],
  // Tokens and encrypted text.
  [/eyJ[0-9A-Za-z_-]{1,1000}\.[0-9A-Za-z_.-]+/g, REDACTED],
  [/mk\d\.[0-9A-Za-z.+/=]+/g, REDACTED],
  [/\b(Bearer|Basic) +[^\s"',;]+/gi, `$1 ${REDACTED}`],
  [/\b(password|passwd|pwd)=[^\s&;"']+/gi, `$1=${REDACTED}`],
  // User name and password in a URL.
  [/:\/\/[^\s/@]+@/g, `://${REDACTED}@`],
  // 32 bytes in base64, like a master key.
  [
    /(?<![0-9A-Za-z+/_-])[0-9A-Za-z+/_-]{43}(?:=|(?![0-9A-Za-z+/_=-]))/g,
    (found) => (isRandom(found) ? REDACTED : found),
  ],
  // Short account numbers can only be recognized by their name.
  [/((?:account|routing)[ _-]?number\W{1,6})\d{4,17}(?!\d)/gi, `$1${REDACTED}`],
  // Card and account numbers.
  [
    new RegExp(`\\b(?:${OWN_ID})\\b|(?<!\\d)\\d(?:[ -]?\\d){12,18}(?!\\d)`, 'g'),
    (found) => (IS_OWN_ID.test(found) ? found : REDACTED),
  ],
  [
    new RegExp(
      `\\b(?:${OWN_ID})\\b|(?<![0-9A-Za-z])[A-Za-z]{2}\\d{2}(?: ?[0-9A-Za-z]{4}){2,7}(?: ?[0-9A-Za-z]{1,3})?(?![0-9A-Za-z])`,
      'g',
    ),
    (found) => (isAccount(found) ? REDACTED : found),
  ],
];

/** Ids and dotted names such as event types. Most logged values match, and then no rule needs to run. */
const PLAIN = new RegExp(`^(?!.*(?:sk|pk|sec|secret)_)(?:(?:[a-z]+_)?(?:${OWN_ID})|[a-z]+(?:[._][a-z]+)*)$`);
/** Shorter than a master key in base64, which has at least 43 characters. */
const PLAIN_MAX = 42;

/** Longer text is cut, because scanning a whole body takes seconds. */
const TEXT_MAX = 8_192;
/** The text at the cut may be part of a secret, which would not be recognized. */
const CUT_OFF = 80;

/**
 * Removes text that looks like a secret of this project or of a buyer: keys, signing and client secrets, tokens, passwords, master keys,
 * card numbers and accounts. Every logger passes foreign text through it, such as error messages.
 */
export function scrubText(text: string): string {
  if (text.length <= PLAIN_MAX && PLAIN.test(text)) return text;
  return text.length > TEXT_MAX ? `${scrubbed(text.slice(0, TEXT_MAX)).slice(0, -CUT_OFF)}…` : scrubbed(text);
}

function scrubbed(text: string): string {
  const found = RULES.reduce(
    // `replace` has two overloads, one for each type of replacement.
    (left, [pattern, instead]) =>
      typeof instead === 'string' ? left.replace(pattern, instead) : left.replace(pattern, instead),
    text,
  );
  return withoutQuoted(found);
}

const NOT_JSON = '" is not valid JSON';

/** V8 quotes text that it cannot parse. Everything from the first quote may be of it. */
function withoutQuoted(text: string): string {
  const [first, last] = [text.indexOf('"'), text.lastIndexOf(NOT_JSON)];
  if (first >= last) return text;
  return `${text.slice(0, first)}the text is not valid JSON${text.slice(last + NOT_JSON.length)}`;
}

/** A path may be as long as a key, but has fewer different characters. */
function isRandom(text: string): boolean {
  return text.endsWith('=') || new Set(text).size >= 20;
}

/** All capitals, mostly digits, or with valid check digits; ids and words after an abbreviation are not. */
function isAccount(text: string): boolean {
  // Only an IBAN of Andorra has the form of an id.
  if (IS_OWN_ID.test(text)) return /^ad\d{2}.{20}$/.test(text) && hasCheckDigits(text);
  return !/[a-z]/.test(text) || (text.match(/\d/g) ?? []).length >= 10 || hasCheckDigits(text);
}

/** ISO 7064 mod 97-10, as used by IBANs. */
function hasCheckDigits(text: string): boolean {
  const compact = text.replaceAll(' ', '').toUpperCase();
  let rest = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4))
    for (const digit of String(parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/** Names of members whose values are never logged; compared without case, `_` and `-`. */
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

/** Whether the value of a member with this name must never be logged. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.replace(/[_-]/g, '').toLowerCase());
}

/** Maximum depth that is scanned below the fields of a log line; deeper values are omitted. */
const DEPTH_MAX = 4;

/** A log value with secrets removed, by name and by pattern. */
export function scrubValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEPTH_MAX) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [scrubText(name), scrubMember(name, member, depth + 1)]),
  );
}

/** The value of a named member with secrets removed. */
export function scrubMember(name: string, value: unknown, depth = 0): unknown {
  return isSecretName(name) ? REDACTED : scrubValue(value, depth);
}
