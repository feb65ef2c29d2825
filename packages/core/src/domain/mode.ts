/** Test and live data are fully separate: every row, key and query has a mode. */
export type Mode = 'test' | 'live';

/** Both modes. */
export const MODES: readonly Mode[] = ['test', 'live'];

/** Scopes every request-side read, so that callers read only their own data. */
export interface Scope {
  readonly partnerId: string;
  readonly mode: Mode;
}

/** The scope of a row. */
export function scopeOf(row: Scope): Scope {
  return { partnerId: row.partnerId, mode: row.mode };
}
