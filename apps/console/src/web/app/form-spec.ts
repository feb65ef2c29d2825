import type { Call } from '../wire/api.js';
import type { Permission } from './permission.js';

/** What is typed into a field: a text, or the chosen ones of several. */
export type Value = string | readonly string[];
export type Values = Readonly<Record<string, Value>>;

export type FieldKind = 'text' | 'url' | 'number' | 'day' | 'color' | 'lines' | 'select' | 'checks';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired?: boolean;
  readonly options?: readonly string[];
}

/** A change: who may make it, its fields and its call. */
export interface Spec {
  readonly permission: Permission;
  readonly fields: readonly Field[];
  /** The call without the reason, which is added where it is required. `isPreview` asks for counts only. */
  readonly call: (values: Values, subject: string, isPreview: boolean) => Call;
  readonly hasPreview?: boolean;
  /** The member of the answer that the form shows. Results of changes are shown once. */
  readonly shows?: 'secret' | 'text' | 'url' | 'result';
  /** Whether a reason is required: `true` in both modes, `false` in neither; by default in live mode only. */
  readonly hasReason?: boolean;
  readonly isDanger?: boolean;
  /** Whether this device makes a passkey, which is sent along. */
  readonly hasPasskey?: boolean;
  /** Whether it only reads, so that it never has a reason. */
  readonly isRead?: boolean;
}

/** The text of a single field. */
export const text = (value: Values[string] | undefined): string => (typeof value === 'string' ? value.trim() : '');

/** The entries of a field for several values, which are separated by lines, spaces or commas. */
export function lines(value: Values[string] | undefined): readonly string[] {
  const parts = typeof value === 'string' ? value.split(/[\s,]+/) : (value ?? []);
  return parts.filter((part) => part !== '');
}

/** The first instant of a day, or null. */
export const instant = (value: Values[string] | undefined): string | null =>
  text(value) === '' ? null : `${text(value)}T00:00:00.000Z`;

/** The field, unless it is empty. */
export function given(field: string, value: string | readonly string[] | null): Readonly<Record<string, unknown>> {
  return value === null || value.length === 0 ? {} : { [field]: value };
}
