/** A row as Postgres hands it out: the very JSON the store was given. */
export interface RowText {
  readonly row: string;
}

/**
 * Reads rows that this store wrote itself from typed values, so their text has the type's shape.
 */
export function parseRow<Row>({ row }: RowText): Row {
  return JSON.parse(row) as Row;
}

export function parseOne<Row>(row: RowText | null): Row | null {
  return row === null ? null : parseRow<Row>(row);
}

export function parseFirst<Row>(rows: readonly RowText[]): Row | null {
  return parseOne<Row>(rows[0] ?? null);
}
