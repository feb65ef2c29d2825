export interface Order {
  readonly id: string;
  readonly status: 'open' | 'paid';
  readonly tx_refid: string | null;
}

declare global {
  var mugOrders: Map<string, Order> | undefined;
}

/** Next.js may load a module more than once, so this stand-in for your database hangs on the process. */
export const orders = (globalThis.mugOrders ??= new Map<string, Order>());

export function openOrder(id: string): void {
  orders.set(id, { id, status: 'open', tx_refid: null });
}

/** Changes nothing at an order that is paid already. */
export function payOrder(id: string, txRefid: string): void {
  const order = orders.get(id);
  if (order?.status === 'open') orders.set(id, { id, status: 'paid', tx_refid: txRefid });
}
