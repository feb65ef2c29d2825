import { nodeIds } from '@gateramp/core/runtime';

const IDS = nodeIds();

/** In the form of the request ids of `/v1`. */
export const newRequestId = (): string => `req_${IDS.secret(24)}`;
