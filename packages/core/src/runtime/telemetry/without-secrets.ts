const SECRETS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(sk|pk)_(test|live)_[0-9A-Za-z_]+/g, '$1_$2_[redacted]'],
  [/\bwhsec_[0-9A-Za-z_+/=-]+/g, 'whsec_[redacted]'],
  [/_secret_[0-9A-Za-z]+/g, '_secret_[redacted]'],
  // Tokens, and what was sealed.
  [/\beyJ[0-9A-Za-z_-]+\.[0-9A-Za-z_.-]+/g, '[redacted]'],
  [/\bmk1\.[0-9A-Za-z.+/=]+/g, '[redacted]'],
  // A user and password in a URL.
  [/:\/\/[^\s/@]+@/g, '://[redacted]@'],
  // Card and account numbers.
  [/\b\d(?:[ -]?\d){12,18}\b/g, '[redacted]'],
  [/\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){3,7}(?: ?[0-9A-Z]{1,3})?\b/g, '[redacted]'],
  // V8 quotes what it could not parse.
  [/"[^]*" is not valid JSON/g, 'the text is not valid JSON'],
];

/** A message of somebody else's code, fit for a log: what looks like a secret of ours or of a buyer is taken out. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
}
