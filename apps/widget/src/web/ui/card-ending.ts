/** A card by its last digits, isolated to run left to right in every language. */
export const cardEnding = (lastFour: string): string => `\u2066•••• ${lastFour}\u2069`;
