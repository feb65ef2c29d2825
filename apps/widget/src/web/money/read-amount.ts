const DIGITS_MAX = 12;

/**
 * Parses a typed amount to a decimal string; null for other text. Both comma and point are decimal separators; text with both is ambiguous
 * and rejected. Arabic digits are accepted.
 */
export function readAmount(text: string, decimals: number): string | null {
  const latin = text.trim().replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
  const [, whole = '', fraction = ''] = /^(\d+)(?:[.,\u066b](\d+))?$/.exec(latin) ?? [];
  const plain = whole.replace(/^0+(?=\d)/, '');
  if (plain === '' || plain.length > DIGITS_MAX || fraction.length > decimals) return null;
  return fraction === '' ? plain : `${plain}.${fraction}`;
}
