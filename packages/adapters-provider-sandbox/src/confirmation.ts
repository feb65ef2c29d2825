import type { Failure, Instant } from '@gateramp/core/domain';
import type { Confirmation } from '@gateramp/core/ports';
import { SANDBOX_OTP_CODE } from './cards.js';

/** The document number for which identity verification fails. */
export const REJECTED_DOCUMENT = 'REJECT';

/** Why the sandbox refuses what the buyer confirmed; null if it does not. */
export function rejection(confirmation: Exclude<Confirmation, { action: 'send_code' }>, now: Instant): Failure | null {
  switch (confirmation.action) {
    case 'kyc':
      if (confirmation.kyc.documentNumber === REJECTED_DOCUMENT)
        return { code: 'kyc_rejected', stage: 'kyc', message: 'Identity verification was rejected.', retryable: false };
      return isAdult(confirmation.kyc.dateOfBirth, now) ? null : AGE_OUT_OF_RANGE;
    case 'payment_authentication':
      if (confirmation.code === SANDBOX_OTP_CODE) return null;
      return {
        code: 'payment_authentication_failed',
        stage: 'payment',
        message: 'The one-time code was wrong.',
        retryable: true,
      };
    case 'crypto_deposit':
    case 'redirect':
    case 'provider_component':
      return null;
  }
}

/** A mistyped date can be corrected in another attempt. */
const AGE_OUT_OF_RANGE: Failure = {
  code: 'kyc_rejected',
  stage: 'kyc',
  message: 'The buyer must be 18 to 120 years old.',
  retryable: true,
};

/** By calendar date in UTC: buyers are old enough from their eighteenth birthday. A missing date is accepted. */
function isAdult(dateOfBirth: string | null, now: Instant): boolean {
  if (dateOfBirth === null) return true;
  const today = new Date(now).toISOString().slice(0, 10);
  const yearsAgo = (years: number): string => `${Number(today.slice(0, 4)) - years}${today.slice(4)}`;
  return dateOfBirth <= yearsAgo(18) && dateOfBirth > yearsAgo(121);
}
