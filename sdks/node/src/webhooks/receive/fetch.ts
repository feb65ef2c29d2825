import { WebhookSignatureError } from '../../errors/webhook-signature-error.js';
import { type Take } from './answer.js';
import { BODY_BYTES_MAX } from './body-limit.js';

/** For whatever speaks Fetch. */
export const fetchHandler =
  (take: Take) =>
  async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    // Read by somebody else already, such as request.json(): those bytes are gone.
    if (request.bodyUsed) throw new WebhookSignatureError('parsed_body');
    if (Number(request.headers.get('content-length')) > BODY_BYTES_MAX) return new Response(null, { status: 413 });
    const payload = await request.arrayBuffer();
    if (payload.byteLength > BODY_BYTES_MAX) return new Response(null, { status: 413 });
    const { status, body } = await take(payload, request.headers.get('gate-signature'));
    return new Response(body, { status, headers: { 'content-type': 'application/json' } });
  };
