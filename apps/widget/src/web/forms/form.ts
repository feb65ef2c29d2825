import type { Fault, Faults, Form } from '../app/screen.js';
import type { Refusal } from '../wire/refusal.js';

/** What each field is checked by. */
export type Checks<Field extends string> = Readonly<Record<Field, (value: string) => Fault | null>>;

export function emptyForm<Field extends string>(fields: readonly Field[]): Form<Field> {
  // Made of exactly these fields.
  const values = Object.fromEntries(fields.map((field) => [field, ''])) as Record<Field, string>;
  const faults: Partial<Record<Field, Fault>> = {};
  return { values, faults, isSending: false, refusal: null };
}

/** A field that is being repaired is at fault no more. */
export function typed<Field extends string>(form: Form<Field>, field: string, value: string): Form<Field> {
  if (!isFieldOf(form, field) || form.isSending) return form;
  const { [field]: _mended, ...faults } = form.faults;
  // What is left of the faults is still keyed by fields.
  return { ...form, values: { ...form.values, [field]: value }, faults: faults as Faults<Field> };
}

/** Says what is wrong with a field once it is left, and never that it is empty: it may be next. */
export function left<Field extends string>(form: Form<Field>, field: string, checks: Checks<Field>): Form<Field> {
  if (!isFieldOf(form, field)) return form;
  const fault = checks[field](form.values[field]);
  return fault === null || fault === 'required' ? form : { ...form, faults: { ...form.faults, [field]: fault } };
}

/** Everything that keeps `fields` from being sent. */
export function faultsOf<Field extends string>(
  form: Form<Field>,
  fields: readonly Field[],
  checks: Checks<Field>,
): Faults<Field> {
  const found: Partial<Record<Field, Fault>> = {};
  for (const field of fields) {
    const fault = checks[field](form.values[field]);
    if (fault !== null) found[field] = fault;
  }
  return found;
}

/** What the service refused is shown at its field; the rest is a refusal of the whole. */
export function refused<Field extends string>(form: Form<Field>, refusal: Refusal): Form<Field> {
  const found: Partial<Record<Field, Fault>> = {};
  for (const { field } of refusal.fields) {
    const name = field.split('.').at(-1) ?? field;
    if (isFieldOf(form, name)) found[name] = 'refused';
  }
  const isWhole = Object.keys(found).length < refusal.fields.length || refusal.fields.length === 0;
  return { ...form, isSending: false, faults: found, refusal: isWhole ? refusal : null };
}

export function isFaulty(faults: Faults<string>): boolean {
  return Object.keys(faults).length > 0;
}

function isFieldOf<Field extends string>(form: Form<Field>, field: string): field is Field {
  return Object.hasOwn(form.values, field);
}
