const COUNTS = /[\p{L}\p{N}]/u;

/**
 * Where the caret belongs once a text has been laid out: behind as many letters and digits as it was before. Without it a buyer who fixes a
 * digit in the middle of a card number goes on typing at its end.
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
