/** Whether Fastify refused the Content-Type: malformed, or missing where it requires one. */
export function isContentTypeRefusal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && REFUSALS.has(error.code);
}

const REFUSALS = new Set<unknown>(['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE']);
