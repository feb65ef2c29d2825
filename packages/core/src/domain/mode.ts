/** Test and live are separate worlds: every row, key and query carries one of them. */
export type Mode = 'test' | 'live';

/** Both modes. */
export const MODES: readonly Mode[] = ['test', 'live'];

/** What every request-side read is scoped by: nobody reads what is not theirs. */
export interface Scope {
  readonly partnerId: string;
  readonly mode: Mode;
}

/** The scope a row belongs to, without the rest of the row. */
export function scopeOf(row: Scope): Scope {
  return { partnerId: row.partnerId, mode: row.mode };
}
