import { err, ok, type Result } from 'neverthrow';
import { type JsonDocument, readJson } from '../../domain/json.js';
import type { FieldError, Refusal } from '../../domain/refusal.js';
import { refuse } from '../../domain/refusal.js';
import type { Mode } from '../../domain/mode.js';
import type { AnyEndpoint } from '../endpoint.js';
import { headerOf, type HttpBody, type HttpRequest } from '../message.js';
import type { BodyInput } from '../schema/request.js';
import { firstOfEach, unknownField } from '../schema/fields.js';

/** Maximum size of a request body in bytes; larger ones get a 413. */
export const BODY_BYTES_MAX = 64 * 1024;

/** Maximum nesting depth of a body. */
export const BODY_DEPTH_MAX = 32;

type BodyRefusal = Refusal<
  'body_too_large' | 'unsupported_media_type' | 'malformed_json' | 'validation_failed' | 'unknown_field'
>;

/** The parsed body, with its canonical form for the fingerprint. */
interface ReadBody {
  readonly value: unknown;
  readonly canonical: string;
}

/** Reads the body for an endpoint that accepts no file. */
export function readBody(endpoint: AnyEndpoint, request: HttpRequest, mode: Mode): Result<ReadBody, BodyRefusal> {
  const { body } = request;
  if (body.kind === 'unread')
    throw new Error('The body of an endpoint that takes no file is read before it is called.');
  const encoded = encodingRefusal(request);
  if (encoded !== null && !isEmpty(body)) return err(encoded);
  if (body.kind === 'too_large' || bytesOf(body).byteLength > BODY_BYTES_MAX) {
    return refuse('body_too_large', `A request body may have at most ${BODY_BYTES_MAX} bytes.`);
  }
  if (endpoint.body.kind === 'raw') {
    if (body.kind === 'parsed' && body.rawBody === null) throw new Error(BYTES_ARE_GONE);
    return ok({ value: bytesOf(body), canonical: '' });
  }
  if (isEmpty(body) && endpoint.body.kind === 'none') return ok({ value: null, canonical: '' });
  if (body.kind === 'bytes' && !isEmpty(body) && !isJson(headerOf(request, 'content-type'))) {
    return refuse('unsupported_media_type', 'Send the body as Content-Type: application/json.');
  }
  // If all fields are optional, an empty body counts as an empty object.
  const document = isEmpty(body) ? ok(EMPTY_OBJECT) : documentOf(body);
  if (document.isErr()) return err(document.error);
  return readDocument(endpoint, { document: document.value, mode });
}

/** Bodies are not inflated, because a few bytes could become gigabytes. Null if the body is sent as it is. */
export function encodingRefusal(request: HttpRequest): Refusal<'unsupported_media_type'> | null {
  const encodings = (headerOf(request, 'content-encoding') ?? '').toLowerCase().split(',');
  if (encodings.every((one) => ['', 'identity'].includes(one.trim()))) return null;
  return {
    code: 'unsupported_media_type',
    message: 'Send the body without compression: omit the header Content-Encoding, or send "identity".',
  };
}

/** An error in the host's set-up, so it is reported to the operator; the 5xx makes the provider retry. */
const BYTES_ARE_GONE =
  'A body parser consumed a provider callback before it reached the gate, so the raw bytes that authenticate it are gone. ' +
  'Mount the gate before the parser, or make the parser keep the bytes: express.json({ verify: keepRawBody }).';

function readDocument(endpoint: AnyEndpoint, input: BodyInput): Result<ReadBody, BodyRefusal> {
  const { document } = input;
  if (typeof document.value !== 'object' || document.value === null || Array.isArray(document.value)) {
    return refuse('validation_failed', 'The body must be a JSON object.');
  }
  if (endpoint.body.kind !== 'json') {
    const extra = [...document.members.keys()];
    return extra.length === 0 ? ok({ value: null, canonical: '' }) : err(fieldRefusal(extra.map(unknownField)));
  }
  // Refused explicitly, independent of how a schema library handles it in a parsed object.
  if (document.members.has('__proto__')) return err(fieldRefusal([unknownField('__proto__')]));
  const read = endpoint.body.read(input);
  return read.isErr() ? err(fieldRefusal(read.error)) : ok({ value: read.value, canonical: document.canonical });
}

const EMPTY_OBJECT: JsonDocument = { value: {}, members: new Map(), canonical: '{}' };

/** One refusal for all invalid fields; if all are unknown fields, with its own code. */
export function fieldRefusal(fields: readonly FieldError[]): Refusal<'validation_failed' | 'unknown_field'> {
  const code = fields.every((field) => field.code === 'unknown_field') ? 'unknown_field' : 'validation_failed';
  return { code, message: fields[0]?.message ?? 'The request is not valid.', fields: firstOfEach(fields) };
}

/** Drops a leading byte order mark, which some clients send. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function documentOf(body: Exclude<HttpBody, { kind: 'too_large' | 'unread' }>): Result<JsonDocument, BodyRefusal> {
  let json: string;
  try {
    json = body.kind === 'bytes' ? UTF8.decode(body.bytes) : JSON.stringify(body.value);
  } catch {
    return refuse('malformed_json', 'The body is not valid UTF-8 JSON.');
  }
  const document = readJson(json, BODY_DEPTH_MAX);
  if (document.isOk()) return ok(document.value);
  switch (document.error) {
    case 'malformed':
      return refuse('malformed_json', 'The body is not valid JSON.');
    case 'too_deep':
      return refuse('validation_failed', `The body may be nested at most ${BODY_DEPTH_MAX} levels deep.`);
    case 'bad_characters':
      return refuse('validation_failed', 'Text must not contain NUL characters or unpaired surrogates.');
  }
}

function bytesOf(body: HttpBody): Uint8Array {
  if (body.kind === 'bytes') return body.bytes;
  return (body.kind === 'parsed' ? body.rawBody : null) ?? NO_BYTES;
}

const NO_BYTES = new Uint8Array(0);

function isEmpty(body: HttpBody): boolean {
  return body.kind === 'bytes' ? body.bytes.byteLength === 0 : body.kind === 'parsed' && body.value === undefined;
}

function isJson(contentType: string | null): boolean {
  if (contentType === null) return false;
  const semicolon = contentType.indexOf(';');
  const type = semicolon < 0 ? contentType : contentType.slice(0, semicolon);
  return type.trim().toLowerCase() === 'application/json';
}
