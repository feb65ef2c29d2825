/** A file of SQL, as text: bundlers and test runners of this repository load it so (`tools/lib/sql-text.mjs`). */
declare module '*.sql' {
  const sql: string;
  export default sql;
}
