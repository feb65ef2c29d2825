/** Joins the parts of a body into one buffer, so that no second copy is held. */
export class JoinedBytes {
  private size = 0;
  private joined: Uint8Array = new Uint8Array(0);

  /** `room`: the exact size if known, otherwise the maximum accepted, in bytes. */
  constructor(private readonly room: number) {}

  /** Appends a part. Returns false, and discards the part, if it does not fit. */
  add(part: Uint8Array): boolean {
    const size = this.size + part.byteLength;
    if (size > this.room) return false;
    if (this.size === 0) this.joined = part;
    else {
      if (this.joined.byteLength === this.size) this.joined = withRoom(this.joined, this.room);
      this.joined.set(part, this.size);
    }
    this.size = size;
    return true;
  }

  bytes(): Uint8Array {
    return this.joined.subarray(0, this.size);
  }
}

function withRoom(bytes: Uint8Array, room: number): Uint8Array {
  const larger = new Uint8Array(room);
  larger.set(bytes);
  return larger;
}
