import { err, ok, type Result } from 'neverthrow';
import {
  DOCUMENT_BYTES_MAX,
  DOCUMENT_MEDIA_TYPES,
  type DocumentMediaType,
  documentMediaType,
  sniffMediaType,
} from '../../domain/intent/identity-document.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { encodingRefusal } from './read-body.js';
import { type FileRead, headerOf, type HttpBody, type HttpRequest } from '../message.js';
import type { SentFile } from '../schema/request.js';

type FileRefusal = Refusal<
  'body_too_large' | 'unsupported_media_type' | 'validation_failed' | 'request_timeout' | 'service_unavailable'
>;

/** Maximum number of files in memory per process, from the first byte until the provider has them. */
const FILES_MAX = 16;

/** Maximum number of these per partner, which leaves room for others. */
const PARTNER_FILES_MAX = FILES_MAX / 2;

/** Time limit for sending a file. Shorter than Node's 30 s, after which the response would have no CORS headers. */
export const FILE_TIMEOUT_MS = 25_000;

/** An expected file whose sender has been checked. */
interface FileTransfer {
  readonly request: HttpRequest;
  readonly mediaType: DocumentMediaType;
  readonly partnerId: string;
  /** Identifies the file's target. A later file for the same target stops the reading of an earlier one. */
  readonly of: string;
  /** Limits the wait for the bytes; null after the limit. */
  readonly within: <Value>(work: Promise<Value>) => Promise<Value | null>;
}

/** The declared media type, checked before any byte is read. */
export function sentMediaType(request: HttpRequest): Result<DocumentMediaType, FileRefusal> {
  const encoded = encodingRefusal(request);
  if (encoded !== null) return err(encoded);
  const mediaType = documentMediaType(headerOf(request, 'content-type'));
  return mediaType === null
    ? refuse('unsupported_media_type', `Send the file as one of ${DOCUMENT_MEDIA_TYPES.join(', ')}.`)
    : ok(mediaType);
}

/** Receives files: a limited number at once, each within its size and time limits. */
export class FileIntake {
  /** Occupied slots by partner. */
  private readonly slots = new Map<string, number>();
  /** Functions that stop the reading of a file, by its target. */
  private readonly stops = new Map<string, () => void>();

  /** Reads the file and passes it to `use`. The slot is released when `use`, and all work it registered with `heldBy`, has ended. */
  async take<Value>(
    transfer: FileTransfer,
    use: (file: SentFile) => Promise<Value>,
  ): Promise<Result<Value, FileRefusal>> {
    this.stops.get(transfer.of)?.();
    const leave = this.enter(transfer.partnerId);
    if (leave === null)
      return refuse('service_unavailable', 'Too many files are being received; send it again in a moment.');
    const holders: Promise<unknown>[] = [];
    try {
      const bytes = await this.read(transfer, leave);
      if (bytes.isErr()) return err(bytes.error);
      const heldBy = (work: Promise<unknown>): void => void holders.push(work);
      return ok(await use({ mediaType: transfer.mediaType, bytes: bytes.value, heldBy }));
    } finally {
      void Promise.allSettled(holders).then(leave);
    }
  }

  /** Takes a slot and returns a function that releases it; null if none is free. */
  private enter(partnerId: string): (() => void) | null {
    const own = this.slots.get(partnerId) ?? 0;
    const all = [...this.slots.values()].reduce((sum, count) => sum + count, 0);
    if (all >= FILES_MAX || own >= PARTNER_FILES_MAX) return null;
    this.slots.set(partnerId, own + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.slots.get(partnerId) ?? 1) - 1;
      if (left === 0) this.slots.delete(partnerId);
      else this.slots.set(partnerId, left);
    };
  }

  private async read(
    { request, mediaType, of, within }: FileTransfer,
    leave: () => void,
  ): Promise<Result<Uint8Array, FileRefusal>> {
    const reading = new AbortController();
    const stop = (): void => {
      reading.abort();
      leave();
    };
    this.stops.set(of, stop);
    const read = await within(bytesOf(request.body, reading.signal));
    if (this.stops.get(of) === stop) this.stops.delete(of);
    // Stop reading a file that was not received in time.
    if (read === null) stop();
    if (read === null || read.kind === 'aborted')
      return refuse('request_timeout', 'The file was not received in full within the time limit.');
    if (read.kind === 'too_large' || read.bytes.byteLength > DOCUMENT_BYTES_MAX)
      return refuse('body_too_large', `A document may have at most ${DOCUMENT_BYTES_MAX} bytes.`);
    if (read.bytes.byteLength === 0) return err(fileRefusal('required', 'body is required: the bytes of the file'));
    if (sniffMediaType(read.bytes) !== mediaType)
      return err(fileRefusal('invalid', `body is not a file of the type ${mediaType}`));
    return ok(read.bytes);
  }
}

async function bytesOf(body: HttpBody, signal: AbortSignal): Promise<FileRead> {
  if (body.kind === 'parsed') return { kind: 'bytes', bytes: body.rawBody ?? new Uint8Array(0) };
  if (body.kind !== 'unread') return body;
  const aborted = new Promise<FileRead>((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'aborted' }));
  });
  return Promise.race([body.read(DOCUMENT_BYTES_MAX, signal), aborted]);
}

function fileRefusal(code: string, message: string): Refusal<'validation_failed'> {
  return { code: 'validation_failed', message, fields: [{ field: 'body', code, message }] };
}
