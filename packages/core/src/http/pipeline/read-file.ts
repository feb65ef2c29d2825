import { err, ok, type Result } from 'neverthrow';
import {
  DOCUMENT_BYTES_MAX,
  documentMediaType,
  DOCUMENT_MEDIA_TYPES,
  sniffMediaType,
} from '../../domain/intent/identity-document.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { type FileRead, headerOf, type HttpBody, type HttpRequest } from '../message.js';
import type { SentFile } from '../schema/request.js';

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
    if (read.bytes.byteLength === 0) return err(bodyRefusal('required', 'body is required: the bytes of the file'));
    if (sniffMediaType(read.bytes) !== mediaType)
      return err(bodyRefusal('invalid', `body is not a file of the type ${mediaType}`));
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

const NO_BYTES = new Uint8Array(0);

function bodyRefusal(code: string, message: string): Refusal<'validation_failed'> {
  return { code: 'validation_failed', message, fields: [{ field: 'body', code, message }] };
}
