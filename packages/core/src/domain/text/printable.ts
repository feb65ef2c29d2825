const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const UNPRINTABLE_ALL = new RegExp(UNPRINTABLE, 'gu');

/** Whether the text has a control or format character, such as an escape sequence, line break or change of writing direction. */
export function hasUnprintable(text: string): boolean {
  return UNPRINTABLE.test(text);
}

/**
 * Replaces control and format characters with escapes such as `\u001b`, so that a terminal shows them instead of interpreting them. Inside
 * JSON this does not change the value.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE_ALL, escaped);
}

/** One escape per UTF-16 unit, as JSON requires for characters outside the basic plane. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
