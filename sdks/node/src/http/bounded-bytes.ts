/** Collects a body up to a limit. Copies into a single buffer, so that many tiny chunks take no more memory than one large chunk. */
export class BoundedBytes {
  #buffer = new Uint8Array(0);
  #length = 0;
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Adds a chunk. Returns false, and discards the chunk, if the body would exceed the limit. */
  add(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.byteLength;
    if (!(length <= this.#bytesMax)) return false;
    if (length > this.#buffer.byteLength) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const larger = new Uint8Array(Math.min(this.#bytesMax, Math.max(length, 2 * this.#buffer.byteLength)));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}

/** Reads a body to its end. Cancels it and returns null if it exceeds the limit. Rejects if the stream fails. */
export async function readBounded(
  { body, headers }: { readonly body: ReadableStream<Uint8Array> | null; readonly headers: Headers },
  bytesMax: number,
): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array(0);
  const reader = body.getReader();
  const read = new BoundedBytes(bytesMax);
  for (let isAbove = Number(headers.get('content-length')) > bytesMax; !isAbove;) {
    const { done, value } = await reader.read();
    if (done) return read.bytes;
    isAbove = !read.add(value);
  }
  // Not awaited: the source decides how long its cancellation takes.
  reader.cancel().catch(() => undefined);
  return null;
}
