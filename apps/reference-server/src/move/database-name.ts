/** Names a database for people and for the note that is left in the folder: no user and no password. */
export function databaseName(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `postgres://${hostname}:${port === '' ? '5432' : port}${pathname}`;
}
