import type { Readable } from 'node:stream';
import type { Policy } from '../../domain/policy.js';
import type { WebhookAnswer } from '../../ports/edge.js';
import { keptText } from './kept-text.js';

export type AnswerLimits = Pick<Policy, 'responseKeepBytes' | 'responseReadBytesMax'>;

/** The verdict is in the headers; a body that still drips after so long is cut. */
const BODY_GRACE_MS = 1_000;

/**
 * The status decides and the body is a courtesy (spec: Delivery rules 1): however it ends, an answer is an answer.
 * Bodies that end in time are read through, so that their connection can be used again.
 */
export async function readAnswer(status: number, body: Readable, limits: AnswerLimits): Promise<WebhookAnswer> {
  return {
    responseStatus: status,
    responseBody: keptText(await readStart(body, limits), limits.responseKeepBytes),
    error: status >= 300 && status < 400 ? 'redirect_not_followed' : null,
  };
}

/** The first bytes that are kept. Reads on to the limit and holds nothing of it. */
async function readStart(body: Readable, { responseKeepBytes, responseReadBytesMax }: AnswerLimits): Promise<Buffer> {
  // Cutting a body makes it emit an error, and without a listener that ends the process; that undici has one is not promised.
  body.on('error', () => undefined);
  const grace = setTimeout(() => body.destroy(), BODY_GRACE_MS);
  const kept: Buffer[] = [];
  let read = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (read < responseKeepBytes) kept.push(chunk.subarray(0, responseKeepBytes - read));
      read += chunk.length;
      if (read >= responseReadBytesMax) break;
    }
  } catch {
    // Cut by us, by the time limit or by the receiver: what came so far is kept.
  } finally {
    clearTimeout(grace);
  }
  return Buffer.concat(kept);
}
