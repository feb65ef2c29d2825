/** The list that wake-ups wait in, under the prefix of the gate: one entry a wake-up, taken by any listener. */
export function wakeUpList(prefix: string): string {
  return `${prefix}:wake-ups`;
}
