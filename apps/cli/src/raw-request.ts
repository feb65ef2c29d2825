/** A request as sent over the wire. */
interface RawRequest {
  /** All values of that header, in any case; null if there is none. */
  header(name: string): readonly string[] | null;
  /** The bytes after the empty line. */
  readonly body: Uint8Array;
}

/** Parses headers, an empty line and a body; a request line before them is skipped. Null without an empty line. */
export function parseRequest(bytes: Uint8Array): RawRequest | null {
  const raw = Buffer.from(bytes);
  // latin1 keeps one character per byte, so that positions in the text equal positions in the bytes.
  const gap = /\r?\n\r?\n/.exec(raw.toString('latin1'));
  if (gap === null) return null;
  const fields = raw
    .subarray(0, gap.index)
    .toString('latin1')
    .split(/\r?\n/)
    .flatMap((line) => {
      const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
      return field === null ? [] : [{ name: field[1]?.toLowerCase(), value: field[2] ?? '' }];
    });
  return {
    header: (name) => {
      const values = fields.filter((field) => field.name === name).map(({ value }) => value);
      return values.length === 0 ? null : values;
    },
    body: bodyOf(raw.subarray(gap.index + gap[0].length), fields),
  };
}

/** Uses the length of Content-Length, since editors and shells often append a line break. */
function bodyOf(
  rest: Uint8Array,
  fields: readonly { readonly name: string | undefined; readonly value: string }[],
): Uint8Array {
  const length = fields.find(({ name }) => name === 'content-length')?.value;
  return length !== undefined && /^\d+$/.test(length) ? rest.subarray(0, Number(length)) : rest;
}
