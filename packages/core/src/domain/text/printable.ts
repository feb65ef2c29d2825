const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const UNPRINTABLE_ALL = new RegExp(UNPRINTABLE, 'gu');

/** Whether the text has a control or format character: an escape sequence, a line break, a change of writing direction. */
export function hasUnprintable(text: string): boolean {
  return UNPRINTABLE.test(text);
}

/**
 * The text with control and format characters written as `\u001b`, so that a terminal shows them instead of obeying them. Inside JSON this
 * changes no value.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE_ALL, escaped);
}

/** By UTF-16 unit, as JSON writes what lies outside the first plane. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
