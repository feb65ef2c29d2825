/** Control and format characters, line breaks and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Escapes control and format characters as `\u001b`, so that text from buyers, partners and receivers cannot control the
 * terminal. Inside JSON this changes no value.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
