import type { NextAction } from '../../domain/intent/intent.js';
import type { FieldError } from '../../domain/refusal.js';
import type { Confirmation } from '../../ports/provider.js';

/** What an identity check asks for by name and the answer leaves out; what it does not ask for nobody has to give. */
export function missingAnswers(action: NextAction | null, confirmation: Confirmation): readonly FieldError[] {
  if (action?.type !== 'kyc' || confirmation.action !== 'kyc') return [];
  const { firstName, lastName, dateOfBirth, documentNumber } = confirmation.kyc;
  const given: Readonly<Record<string, string | null>> = {
    first_name: firstName,
    last_name: lastName,
    date_of_birth: dateOfBirth,
    document_number: documentNumber,
  };
  return action.fields
    .filter((name) => given[name] === null)
    .map((name) => ({ field: `kyc.${name}`, code: 'required', message: `kyc.${name} is required` }));
}
