import type { FieldError, PlainError } from '../app/screen.js';
import type { Messages } from '../i18n/en.js';

/** The sentence for an error. A character that cannot be read is isolated, since it may run in the other direction. */
export function errorText(error: FieldError, t: Messages): string {
  return isPlain(error) ? t.errors[error] : t.cannotRead(`\u2068${error.slice(error.indexOf(' ') + 1)}\u2069`);
}

function isPlain(error: FieldError): error is PlainError {
  return !error.includes(' ');
}
