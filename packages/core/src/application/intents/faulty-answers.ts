import { HOUR, isoTime, type Instant } from '../../domain/instant.js';
import type { NextAction } from '../../domain/intent/intent.js';
import type { FieldError } from '../../domain/refusal.js';
import type { Confirmation } from '../../ports/provider.js';

/**
 * What is wrong with the answer to an identity check: a field that it asks for by name and that is left out, or a birth
 * that is still to come. Fields that it does not ask for are optional.
 */
export function faultyAnswers(
  action: NextAction | null,
  confirmation: Confirmation,
  now: Instant,
): readonly FieldError[] {
  if (action?.type !== 'kyc' || confirmation.action !== 'kyc') return [];
  const { firstName, lastName, dateOfBirth, documentNumber } = confirmation.kyc;
  const given: Readonly<Record<string, string | null>> = {
    first_name: firstName,
    last_name: lastName,
    date_of_birth: dateOfBirth,
    document_number: documentNumber,
  };
  const missing = action.fields
    .filter((name) => given[name] === null)
    .map((name) => ({ field: `kyc.${name}`, code: 'required', message: `kyc.${name} is required` }));
  return dateOfBirth === null || dateOfBirth <= latestDay(now) ? missing : [...missing, UNBORN];
}

const UNBORN: FieldError = {
  field: 'kyc.date_of_birth',
  code: 'invalid',
  message: 'kyc.date_of_birth must not be in the future',
};

/** The day it is where it is latest, on the Line Islands: no birthday is later than that. */
function latestDay(now: Instant): string {
  return isoTime(now + 14 * HOUR).slice(0, 'YYYY-MM-DD'.length);
}
