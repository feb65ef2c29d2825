/** Whether an `Origin` header belongs to this shop: its own origin, or the same port on a loopback name. */
export function isSameShop(header: string, origin: string): boolean {
  if (header === origin) return true;
  const own = new URL(origin);
  return ['localhost', '127.0.0.1'].some((name) => header === `${own.protocol}//${name}:${own.port}`);
}
