import { err, ok, type Result } from 'neverthrow';
import { type JsonDocument, readJson } from '../../domain/json.js';
import {
  DOCUMENT_BYTES_MAX,
  DOCUMENT_MEDIA_TYPES,
  documentMediaType,
  sniffMediaType,
} from '../../domain/intent/identity-document.js';
import type { FieldError, Refusal } from '../../domain/refusal.js';
import { refuse } from '../../domain/refusal.js';
import type { Mode } from '../../domain/mode.js';
import type { AnyEndpoint } from '../endpoint.js';
import { type FileRead, headerOf, type HttpBody, type HttpRequest } from '../message.js';
import type { BodyInput, SentFile } from '../schema/request.js';
import { firstOfEach, unknownField } from '../schema/fields.js';

/** Bytes of a request body; more is 413. */
export const BODY_BYTES_MAX = 64 * 1024;

/** Levels of nesting that a body may have. */
export const BODY_DEPTH_MAX = 32;

export type BodyRefusal = Refusal<
  'body_too_large' | 'unsupported_media_type' | 'malformed_json' | 'validation_failed' | 'unknown_field'
>;

/** A request's body as its endpoint wants it, with its canonical form for the fingerprint. */
export interface ReadBody {
  readonly value: unknown;
  readonly canonical: string;
}

/** The body of an endpoint that takes no file. */
export function readBody(endpoint: AnyEndpoint, request: HttpRequest, mode: Mode): Result<ReadBody, BodyRefusal> {
  const { body } = request;
  if (body.kind === 'unread')
    throw new Error('The body of an endpoint that takes no file is read before it is called.');
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
  // An endpoint whose every field is optional takes no body as an empty one.
  const document = isEmpty(body) ? ok(EMPTY_OBJECT) : documentOf(body);
  if (document.isErr()) return err(document.error);
  return readDocument(endpoint, { document: document.value, mode });
}

/** A mistake of the host's set-up, so it is reported to the operator, and the provider is asked to come again (5xx). */
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
  // Refused here by name, so that it does not depend on how a schema library walks a parsed object.
  if (document.members.has('__proto__')) return err(fieldRefusal([unknownField('__proto__')]));
  const read = endpoint.body.read(input);
  return read.isErr() ? err(fieldRefusal(read.error)) : ok({ value: read.value, canonical: document.canonical });
}

const EMPTY_OBJECT: JsonDocument = { value: {}, members: new Map(), canonical: '{}' };

/** One refusal for all failed fields; unknown fields alone have a code of their own. */
export function fieldRefusal(fields: readonly FieldError[]): Refusal<'validation_failed' | 'unknown_field'> {
  const code = fields.every((field) => field.code === 'unknown_field') ? 'unknown_field' : 'validation_failed';
  return { code, message: fields[0]?.message ?? 'The request is not valid.', fields: firstOfEach(fields) };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

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

export type FileRefusal = Refusal<
  'body_too_large' | 'unsupported_media_type' | 'validation_failed' | 'request_timeout' | 'service_unavailable'
>;

/** Files that a process takes in at once: so many times their size is the memory that they can fill. */
const FILES_AT_ONCE_MAX = 16;

/** How long a client may take to send a file. Node ends a request after 30 s, and its answer would have no CORS headers. */
export const FILE_TIMEOUT_MS = 25_000;

/** Takes in the files of a process: a few at once, each within its size and time. */
export class FileIntake {
  private reading = 0;

  /**
   * The file of a request whose sender has been checked. Its media type is looked at before a byte of it is read. `within` ends the wait;
   * a client that goes on sending keeps its place until it stops.
   */
  async read(
    request: HttpRequest,
    within: <Value>(work: Promise<Value>) => Promise<Value | null>,
  ): Promise<Result<SentFile, FileRefusal>> {
    const mediaType = documentMediaType(headerOf(request, 'content-type'));
    if (mediaType === null)
      return refuse('unsupported_media_type', `Send the file as one of ${DOCUMENT_MEDIA_TYPES.join(', ')}.`);
    if (this.reading >= FILES_AT_ONCE_MAX)
      return refuse('service_unavailable', 'Too many files are being received; send it again in a moment.');
    const read = await within(this.take(request.body));
    if (read === null || read.kind === 'aborted')
      return refuse('request_timeout', 'The file was not received in full within the time limit.');
    if (read.kind === 'too_large' || read.bytes.byteLength > DOCUMENT_BYTES_MAX)
      return refuse('body_too_large', `A document may have at most ${DOCUMENT_BYTES_MAX} bytes.`);
    if (read.bytes.byteLength === 0) return err(fileRefusal('required', 'body is required: the bytes of the file'));
    if (sniffMediaType(read.bytes) !== mediaType)
      return err(fileRefusal('invalid', `body is not a file of the type ${mediaType}`));
    return ok({ mediaType, bytes: read.bytes });
  }

  private async take(body: HttpBody): Promise<FileRead> {
    if (body.kind === 'parsed') return { kind: 'bytes', bytes: body.rawBody ?? NO_BYTES };
    if (body.kind !== 'unread') return body;
    this.reading += 1;
    try {
      return await body.read(DOCUMENT_BYTES_MAX);
    } finally {
      this.reading -= 1;
    }
  }
}

function fileRefusal(code: string, message: string): Refusal<'validation_failed'> {
  return { code: 'validation_failed', message, fields: [{ field: 'body', code, message }] };
}
