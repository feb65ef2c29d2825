/** Whether an `Origin` header is one of the names of this shop: its own, or the same port of this machine. */
export function isSameShop(header: string, origin: string): boolean {
  if (header === origin) return true;
  const own = new URL(origin);
  return ['localhost', '127.0.0.1'].some((name) => header === `${own.protocol}//${name}:${own.port}`);
}
