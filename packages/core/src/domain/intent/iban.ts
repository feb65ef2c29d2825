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
