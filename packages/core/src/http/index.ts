export { TryAgain } from '../application/commit/apply.js';
export { mountProblem } from './hosts.js';
export { VERSION } from './version.js';
export type { AnyEndpoint, Auth } from './endpoint.js';
export { ENGINE_ROUTES, type Routes, routesOf } from './endpoints.js';
export { errorBody, errorType, STATUSES, type StatusOf } from './errors.js';
export { createHandler, type HttpHandler } from './handler.js';
export {
  mergeVary,
  headerOf,
  NO_BODY,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  takesFile,
  type UnreadBody,
} from './message.js';
export { hostRefusalCode, requestRefusal, unreadRequest } from './errors.js';
export { BODY_BYTES_MAX } from './pipeline/read-body.js';
export { type Match, originForm, requestTarget, type Route, RouteTable, segmentsOf } from './pipeline/router.js';
export { CHECKOUT, type Host } from './hosts.js';
export { type GateHost, readStream } from './fetch.js';
