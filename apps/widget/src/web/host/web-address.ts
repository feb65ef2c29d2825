/** Whether a URL may be followed. URLs can come from the embedding page, so other schemes are refused. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
