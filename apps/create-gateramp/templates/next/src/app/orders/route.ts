import { GateError } from '@gateramp/sdk-node';
import { placeOrder } from '../../shop.ts';

export async function POST(): Promise<Response> {
  try {
    return new Response(null, { status: 303, headers: { location: await placeOrder() } });
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    console.error(`No checkout: ${error.code}, request ${error.requestId ?? 'unanswered'}`);
    return new Response('The checkout cannot be reached. Nothing was charged.', { status: 502 });
  }
}
