import type { Call } from '../wire/api.js';
import type { ApiResult, Refusal } from '../wire/refusal.js';
import type { Value, Values } from './form-spec.js';
import type { FormName } from './forms.js';

/**
 * A form for one change, shown as a dialog: `editing → sending → done`. A form with a preview asks for it first, and any change of a field
 * voids it: `editing → sending → previewed → sending → done`.
 */
export interface Form {
  readonly name: FormName;
  /** The id of the object that the change is about; empty without one. */
  readonly subject: string;
  readonly values: Values;
  readonly phase: 'editing' | 'sending' | 'previewed' | 'done';
  readonly refusal: Refusal | null;
  readonly preview: Readonly<Record<string, unknown>> | null;
  /** The answer, if it contains something that is shown only once. */
  readonly result: Readonly<Record<string, unknown>> | null;
}

export type FormEvent =
  | { readonly type: 'opened_form'; readonly name: FormName; readonly subject: string; readonly values: Values }
  | { readonly type: 'changed_field'; readonly field: string; readonly value: Value }
  | { readonly type: 'submitted' }
  | { readonly type: 'form_answered'; readonly call: Call; readonly answer: ApiResult<unknown> }
  | { readonly type: 'closed_form' };
