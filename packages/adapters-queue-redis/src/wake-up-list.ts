/** The Redis list of wake-ups, under the gate's prefix: one entry per wake-up, taken by any listener. */
export function wakeUpList(prefix: string): string {
  return `${prefix}:wake-ups`;
}
