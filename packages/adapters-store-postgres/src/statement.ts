/** A statement and the values of its placeholders. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}
