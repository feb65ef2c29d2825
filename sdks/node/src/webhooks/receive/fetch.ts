import { WebhookSignatureError } from '../../errors/webhook-signature-error.js';
import { readBounded } from '../../http/bounded-bytes.js';
import { BODY_TOO_LARGE, type WebhookResponse, type ReceiveDelivery } from './answer.js';
import { BODY_BYTES_MAX } from './body-limit.js';

/** For servers with the Fetch API. */
export const fetchHandler =
  (take: ReceiveDelivery) =>
  async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    // The body was already read, for example by request.json(): the raw bytes are lost.
    if (request.bodyUsed || request.body?.locked === true) throw new WebhookSignatureError('parsed_body');
    const payload = await readBounded(request, BODY_BYTES_MAX);
    if (payload === null) return responseOf(BODY_TOO_LARGE);
    const { headers } = request;
    const [signature, traceparent] = [headers.get('gate-signature'), headers.get('traceparent')];
    return responseOf(await take(payload, signature, traceparent, headers.get('tracestate')));
  };

const responseOf = ({ status, body }: WebhookResponse): Response =>
  new Response(body, { status, headers: { 'content-type': 'application/json' } });
