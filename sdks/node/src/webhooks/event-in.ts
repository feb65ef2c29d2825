import { type WebhookEvent } from '../types/webhook-event.js';

/** The id of an event or of its session, or a type: a key that every store accepts. */
const KEY = /^[!-~]{1,255}$/;

/** Twice what the API accepts in a body. */
const DEPTH_MAX = 64;

/** Returns the event of a signed body; null if it is not one. Members may be absent, as in the bodies of tests, except for the id. */
export function eventIn(body: Uint8Array): WebhookEvent | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    const value: unknown = JSON.parse(text, plainValue);
    if (!isObject(value) || !hasPlainStructure(text)) return null;
    // Checked below; the service has signed the rest.
    return isEvent(value) ? (value as unknown as WebhookEvent) : null;
  } catch {
    return null;
  }
}

type Members = Readonly<Record<string, unknown>>;

function isEvent({ id, type, sequence = null, created_at = 0, livemode = false, data = null }: Members): boolean {
  return (
    isKey(id) &&
    (type === undefined || isKey(type)) &&
    (sequence === null || isCount(sequence, 1)) &&
    isCount(created_at, 0) &&
    typeof livemode === 'boolean' &&
    (data === null || (isObject(data) && sessionIdsOf(data).every((one) => typeof one !== 'string' || isKey(one))))
  );
}

const sessionIdsOf = ({ object, id, session_id }: Members): readonly unknown[] =>
  object === 'gate_session' ? [id, session_id] : [session_id];

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isKey = (value: unknown): boolean => typeof value === 'string' && KEY.test(value);

const isCount = (value: unknown, min: number): boolean => Number.isSafeInteger(value) && Number(value) >= min;

/** NUL and lone surrogates: databases refuse them, and the service never sends them. */
const UNSTORABLE = /[\0\p{Cs}]/u;

function plainValue(name: string, value: unknown): unknown {
  const texts = typeof value === 'string' ? name + '\n' + value : name;
  if (UNSTORABLE.test(texts) || value === Infinity || value === -Infinity) throw new SyntaxError('Not plain JSON.');
  return value;
}

/** Matches also an unterminated text, so that no text is scanned twice. */
const TOKEN = /"[^"\\]*(?:\\(?:.|$)[^"\\]*)*(?:"|$)(\s*:)?|[[\]{}]/gs;

/** Whether valid JSON is nested within the limit and repeats no name in an object; of repeated names, `JSON.parse` keeps the last. */
function hasPlainStructure(json: string): boolean {
  const open: Set<unknown>[] = [];
  for (const [token, colon] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      if (open.push(new Set()) > DEPTH_MAX) return false;
    } else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const name: unknown = JSON.parse(token.slice(0, -colon.length));
      const names = open.at(-1);
      if (names?.has(name) === true) return false;
      names?.add(name);
    }
  }
  return true;
}
