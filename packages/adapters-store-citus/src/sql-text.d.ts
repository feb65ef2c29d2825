/** An SQL file as text, as loaded by the bundlers and test runners of this repository (`tools/lib/sql-text.mjs`). */
declare module '*.sql' {
  const sql: string;
  export default sql;
}
