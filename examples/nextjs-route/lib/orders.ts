export const MUG = { amount: '25.00', currency: 'EUR' } as const;

export interface Order {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly status: 'open' | 'paid';
  readonly tx_refid: string | null;
}

declare global {
  var mugOrders: Map<string, Order> | undefined;
}

/** Next.js may load a module more than once, so this substitute for your database is a global of the process. */
export const orders = (globalThis.mugOrders ??= new Map<string, Order>());

export function openOrder(id: string): void {
  orders.set(id, { id, ...MUG, status: 'open', tx_refid: null });
}

export interface Payment {
  readonly amount: string;
  readonly currency: string;
  readonly txRefid: string;
}

/**
 * Marks an open order as paid. Returns false if the payment does not match the order, since a session with other terms may have the same
 * reference. Amounts are returned as they were sent.
 */
export function payOrder(id: string, { amount, currency, txRefid }: Payment): boolean {
  const order = orders.get(id);
  if (order?.status !== 'open') return true;
  if (amount !== order.amount || currency !== order.currency) return false;
  orders.set(id, { ...order, status: 'paid', tx_refid: txRefid });
  return true;
}
