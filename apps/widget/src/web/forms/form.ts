import type { FieldError, FieldErrors, Form } from '../app/screen.js';
import type { Refusal } from '../wire/refusal.js';
import { errorOf, type Reader } from './read.js';

/** How each field is read. */
export type Readers<Field extends string> = Readonly<Record<Field, Reader>>;

export function emptyForm<Field extends string>(fields: readonly Field[]): Form<Field> {
  // The cast holds, since the keys are exactly these fields.
  const values = Object.fromEntries(fields.map((field) => [field, ''])) as Record<Field, string>;
  const errors: Partial<Record<Field, FieldError>> = {};
  return { values, errors, isSending: false, refusal: null };
}

/** Sets the value of a field and clears its error. */
export function typed<Field extends string>(form: Form<Field>, field: string, value: string): Form<Field> {
  if (!isFieldOf(form, field) || form.isSending) return form;
  const { [field]: _mended, ...errors } = form.errors;
  // The cast holds, since the remaining errors are still keyed by field.
  return { ...form, values: { ...form.values, [field]: value }, errors: errors as FieldErrors<Field> };
}

/** Shows how a field was read when it loses focus, or why not. An empty field gets no error, since the buyer may fill it in next. */
export function left<Field extends string>(form: Form<Field>, field: string, readers: Readers<Field>): Form<Field> {
  if (!isFieldOf(form, field) || form.isSending) return form;
  const reading = readers[field](form.values[field]);
  if (!('error' in reading)) return { ...form, values: { ...form.values, [field]: reading.shown } };
  return reading.error === 'required' ? form : { ...form, errors: { ...form.errors, [field]: reading.error } };
}

/** The errors of `fields` before sending. */
export function errorsOf<Field extends string>(
  form: Form<Field>,
  fields: readonly Field[],
  readers: Readers<Field>,
): FieldErrors<Field> {
  const found: Partial<Record<Field, FieldError>> = {};
  for (const field of fields) {
    const error = errorOf(readers[field](form.values[field]));
    if (error !== null) found[field] = error;
  }
  return found;
}

/** The value of a field in its wire format. Text that cannot be read is never sent, since the form then has errors. */
export function valueOf<Field extends string>({ values }: Form<Field>, field: Field, readers: Readers<Field>): string {
  const reading = readers[field](values[field]);
  return 'error' in reading ? '' : reading.value;
}

/**
 * Assigns the refused fields their errors. The refusal is shown for the whole form if it names no field, or one that is not in the form.
 */
export function refused<Field extends string>(form: Form<Field>, refusal: Refusal): Form<Field> {
  const found: Partial<Record<Field, FieldError>> = {};
  for (const { field } of refusal.fields) {
    const name = field.split('.').at(-1) ?? field;
    if (isFieldOf(form, name)) found[name] = 'refused';
  }
  const isWhole = Object.keys(found).length < refusal.fields.length || refusal.fields.length === 0;
  return { ...form, isSending: false, errors: found, refusal: isWhole ? refusal : null };
}

export function hasErrors(errors: FieldErrors<string>): boolean {
  return Object.keys(errors).length > 0;
}

function isFieldOf<Field extends string>(form: Form<Field>, field: string): field is Field {
  return Object.hasOwn(form.values, field);
}
