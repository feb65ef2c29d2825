const DIGITS_MAX = 12;

/**
 * An amount as people type it, as decimal text; null for anything else. Comma and point both part the decimals, and
 * with both, the meaning cannot be guessed. Digits of Arabic are digits.
 */
export function readAmount(text: string, decimals: number): string | null {
  const latin = text.trim().replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
  const [, whole = '', fraction = ''] = /^(\d+)(?:[.,\u066b](\d+))?$/.exec(latin) ?? [];
  const plain = whole.replace(/^0+(?=\d)/, '');
  if (plain === '' || plain.length > DIGITS_MAX || fraction.length > decimals) return null;
  return fraction === '' ? plain : `${plain}.${fraction}`;
}
