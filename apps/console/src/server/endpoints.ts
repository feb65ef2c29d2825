import { DOOR_ENDPOINTS } from './door-endpoints.js';
import type { AnyEndpoint } from './endpoint.js';
import { MIRRORED_ENDPOINTS } from './mirrored-endpoints.js';

/** Every endpoint of the console. The router, the laws and the OpenAPI document are made from this table. */
export const ENDPOINTS: readonly AnyEndpoint[] = [...DOOR_ENDPOINTS, ...MIRRORED_ENDPOINTS];
