const COUNTS = /[\p{L}\p{N}]/u;

/**
 * The caret position after a text was formatted: behind the same number of letters and digits as before. Without it, the caret of a buyer
 * who corrects a digit in the middle of a card number jumps to the end.
 */
export function caretPosition(
  laidOut: string,
  { typed, caret }: { readonly typed: string; readonly caret: number },
): number {
  if (caret >= typed.length) return laidOut.length;
  let left = [...typed.slice(0, caret)].filter((character) => COUNTS.test(character)).length;
  let at = 0;
  while (at < laidOut.length && left > 0) {
    if (COUNTS.test(laidOut.charAt(at))) left -= 1;
    at += 1;
  }
  return at;
}
