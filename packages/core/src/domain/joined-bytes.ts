/** Joins the parts of a body as they come, into one place of the size it may have: there is never a second copy of them. */
export class JoinedBytes {
  private size = 0;
  private joined: Uint8Array = new Uint8Array(0);

  /** `room`: the bytes that it has in all where that is known, and otherwise the most that are taken. Memory fills as they come. */
  constructor(private readonly room: number) {}

  /** False, and nothing is kept of the part, where it has no room. */
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
