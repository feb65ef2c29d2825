export { mountFault } from './check-mount.js';
export type { AnyEndpoint, Auth } from './endpoint.js';
export { ENDPOINTS } from './endpoints.js';
export { errorBody, STATUSES, type StatusOf } from './errors.js';
export { createHandler, type HttpHandler } from './handler.js';
export { besideVary, headerOf, NO_BODY, type HttpBody, type HttpRequest, type HttpResponse } from './message.js';
export { hostFault, requestRefusal, unreadRequest } from './request-fault.js';
export { eventCatalogue, openApiDocument } from './openapi/open-api-document.js';
export { requestTarget, segmentsOf } from './request-target.js';
