import { isOutage } from '../../ports/outage.js';
import { isSecretName, scrubText } from './scrub.js';

const MESSAGE_MAX = 300;
/** Of a longer text, such as a whole body in a message, no more is read: looking through all of it for secrets takes seconds. */
const READ_MAX = 2_000;
/** The text at the cut may be half a secret, which would not be recognised. */
const CUT_OFF = 80;
/** Causes of causes beyond this say nothing new. */
const CAUSES_MAX = 3;

/** Name, message, code and place of an error, and its causes: what drivers attach to their errors is not for a log. */
export function errorOnOneLine(error: unknown, causesMax = CAUSES_MAX): string {
  if (!(error instanceof Error)) return textOnOneLine(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  const cause =
    error.cause === undefined || causesMax === 0 ? '' : `, because of ${errorOnOneLine(error.cause, causesMax - 1)}`;
  return `${textOnOneLine(`${error.name}: ${error.message}`)}${code}${isOutage(error) ? '' : placeOf(error)}${cause}`;
}

export function fieldsOnOneLine(fields: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${isSecretName(name) ? '[redacted]' : textOnOneLine(String(value))}`)
    .join('');
}

function textOnOneLine(text: string): string {
  // A line of a log ends where we end it, and colours nothing.
  const line = beginningWithoutSecrets(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > MESSAGE_MAX ? `${line.slice(0, MESSAGE_MAX)}…` : line;
}

function beginningWithoutSecrets(text: string): string {
  return text.length > READ_MAX ? scrubText(text.slice(0, READ_MAX)).slice(0, -CUT_OFF) : scrubText(text);
}

/** The first line of the stack that says where. An outage happens everywhere at once. */
function placeOf(error: Error): string {
  const frame = error.stack?.split('\n').find((line) => /^\s+at /.test(line));
  return frame === undefined ? '' : ` ${frame.trim()}`;
}
