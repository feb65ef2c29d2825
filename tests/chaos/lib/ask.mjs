import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';

/** Idle connections are closed well before a server would close them: a request that meets the closing is lost through nobody's fault. */
const agent = new Agent({ keepAlive: true, maxSockets: 512, timeout: 2_000 });

/**
 * One HTTP request, told as it ended: `{ status, headers, text, sha, ms }`, or `{ status: null, error, ms }` when no whole answer came.
 * Never throws, never tries again.
 */
export function ask(url, { method = 'GET', headers = {}, body = null, timeoutMs }) {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  const text = body === null ? null : JSON.stringify(body);
  const content =
    text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve) => {
    const failed = (error) => resolve({ status: null, error: error.code ?? error.message, ms: ms() });
    const sent = request(
      url,
      { method, agent, timeout: timeoutMs, headers: { ...content, ...headers } },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', failed);
        response.on('aborted', () => failed(new Error('cut off')));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({
            status: response.statusCode,
            headers: response.headers,
            text: bytes.toString('utf8'),
            sha: shaOf(bytes),
            ms: ms(),
          });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('timeout'), { code: 'CLIENT_TIMEOUT' })));
    sent.on('error', failed);
    sent.end(text ?? undefined);
  });
}

export function shaOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

export function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
