import { prepareFile } from '../screens/documents/document-file.js';

import { readRefusal, UNREACHABLE, type ApiResult } from './refusal.js';
import type { Intent } from './types.js';

/** Longer than the service's own limit of 25 s. */
const TIMEOUT_MS = 40_000;

interface Upload {
  readonly url: string;
  readonly token: string;
  readonly file: Blob;
  /** Called with the share that has been sent, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Uploads a file; large photos are scaled down first. Not retried: the buyer can send a failed picture again. */
export async function uploadFile({ file, ...upload }: Upload): Promise<ApiResult<Intent>> {
  const prepared = await prepareFile(file).catch(() => ({ file }));
  if ('code' in prepared) return { ok: false, refusal: { code: prepared.code, fields: [], requestId: null } };
  return sendFile({ ...upload, file: prepared.file });
}

/** Uses XMLHttpRequest, since `fetch` reports no upload progress. */
function sendFile({ url, token, file, onProgress }: Upload): Promise<ApiResult<Intent>> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const fail = (): void => resolve({ ok: false, refusal: UNREACHABLE });
    request.open('POST', url);
    request.timeout = TIMEOUT_MS;
    request.responseType = 'json';
    request.setRequestHeader('x-embed-token', token);
    request.setRequestHeader('content-type', file.type);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const body: unknown = request.response;
      // The cast relies on the API contract.
      if (request.status < 300) resolve({ ok: true, value: body as Intent });
      else resolve({ ok: false, refusal: readRefusal(request.status, body) });
    };
    request.onerror = fail;
    request.ontimeout = fail;
    request.onabort = fail;
    request.send(file);
  });
}
