/** Types of the columns that are sent, with the numbers Postgres knows them by. */
const OIDS = { bool: 16, int8: 20, int4: 23, text: 25, json: 114 } as const;

export type ColumnType = keyof typeof OIDS;
export type Value = string | number | boolean | null;

/**
 * Rows as one array a column, in Postgres's binary form: for statements that unpack them with `unnest`. Nothing is
 * quoted or parsed on either side, which is most of what sending many rows at once would cost as JSON or as text.
 */
export function binaryColumns(types: readonly ColumnType[], rows: readonly (readonly Value[])[]): readonly Buffer[] {
  return types.map((type, column) => binaryArray(type, rows, column));
}

const HEADER_BYTES = 20;

function binaryArray(type: ColumnType, rows: readonly (readonly Value[])[], column: number): Buffer {
  const sizes = rows.map((row) => sizeOf(type, row[column] ?? null));
  const buffer = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(0, size), HEADER_BYTES));
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(1, 4); // may hold nulls
  buffer.writeInt32BE(OIDS[type], 8);
  buffer.writeInt32BE(rows.length, 12);
  buffer.writeInt32BE(1, 16); // the first index
  let at = HEADER_BYTES;
  for (const [nth, row] of rows.entries()) {
    const size = sizes[nth] ?? NULL_SIZE;
    at = buffer.writeInt32BE(size, at);
    if (size !== NULL_SIZE) at = writeValue(buffer, type, row[column] ?? null, at);
  }
  return buffer;
}

const NULL_SIZE = -1;

function sizeOf(type: ColumnType, value: Value): number {
  if (value === null) return NULL_SIZE;
  if (typeof value === 'string') return Buffer.byteLength(value);
  return type === 'int8' ? 8 : type === 'int4' ? 4 : 1;
}

/** Returns where the next one begins. */
function writeValue(buffer: Buffer, type: ColumnType, value: Value, at: number): number {
  if (typeof value === 'string') return at + buffer.write(value, at);
  const number = Number(value);
  if (type === 'bool') return buffer.writeUInt8(number, at);
  if (type === 'int4') return buffer.writeInt32BE(number, at);
  return buffer.writeUInt32BE(number >>> 0, buffer.writeInt32BE(Math.floor(number / TWO_32), at));
}

const TWO_32 = 2 ** 32;
