import { findOrder } from '../../../orders.ts';

interface Context {
  readonly params: Promise<{ readonly id: string }>;
}

/** The buyer returns to this page. A return says nothing about money: the order is paid when its webhook says so. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const order = findOrder((await params).id);
  return Response.json(order, { status: order === null ? 404 : 200 });
}
