/** Nothing else is ever followed: a link may be anything that the page around says. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
