/** Test and live are separate worlds: every row, key and query carries one of them. */
export type Mode = 'test' | 'live';

/** Both modes. */
export const MODES: readonly Mode[] = ['test', 'live'];

/** Every request-side read is scoped by this: callers read only their own data. */
export interface Scope {
  readonly partnerId: string;
  readonly mode: Mode;
}

/** The scope a row belongs to, without the rest of the row. */
export function scopeOf(row: Scope): Scope {
  return { partnerId: row.partnerId, mode: row.mode };
}
