/** The one queue there is, under the prefix of the gate. */
export const WAKE_UPS = 'wake-ups';

/** A wake-up that was heard leaves nothing behind, and neither does one that failed. */
export const LEAVE_NOTHING = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } } as const;
