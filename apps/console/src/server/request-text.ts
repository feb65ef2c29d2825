const BODY_BYTES_MAX = 65_536;

/** Null for a body that is too long, of which no more is read. */
export async function textOf({ body }: Request): Promise<string | null> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  // Drops a leading byte order mark.
  return new TextDecoder().decode(Buffer.concat(chunks));
}
