import { webhookReceiver } from '../../shop.ts';

export async function POST(request: Request): Promise<Response> {
  return (await webhookReceiver()).fetch(request);
}
