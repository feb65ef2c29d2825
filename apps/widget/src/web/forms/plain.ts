/**
 * Text without invisible characters: direction marks, zero-width characters and controls. Names keep the joiners, which shape letters in
 * Persian and Indian languages.
 */
export function visible(text: string): string {
  return text
    .replace(/(?![\u200c\u200d])\p{DI}/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
}

/**
 * Visible text in plain characters: digits of every script become Latin, full-width characters narrow, and each kind of dash, dot and slash
 * one character. All else stays, so that nothing is read that was not written.
 */
export function plain(text: string): string {
  return visible(text)
    .replace(/[\u200c\u200d]/g, '')
    .replace(/\p{Nd}/gu, latinDigit)
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\p{Pd}\u2212\u30fc\uff70]/gu, '-')
    .replace(/[\u00b7\u2024\u2027\u3002\u30fb\uff61\uff65]/g, '.')
    .replace(/[\u2044\u2215\u29f8]/g, '/')
    .trim();
}

/** Unicode lists the decimal digits of a script as runs of ten, from zero to nine. */
function latinDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}
