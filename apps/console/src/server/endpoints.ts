import { ACCESS_ENDPOINTS } from './access-endpoints.js';
import { CHECKPOINT_ENDPOINTS } from './checkpoint-endpoints.js';
import { CLOCK_ENDPOINTS } from './clock-endpoints.js';
import { DELIVERY_ENDPOINTS } from './delivery-endpoints.js';
import { DOOR_ENDPOINTS } from './door-endpoints.js';
import { ALARM_ENDPOINTS } from './alarm-endpoints.js';
import { APPROVAL_ENDPOINTS } from './approval-endpoints.js';
import { AUDIT_ENDPOINTS } from './audit-endpoints.js';
import type { AnyEndpoint } from './endpoint.js';
import { INSPECT_ENDPOINTS } from './inspect-endpoints.js';
import { LEG_ENDPOINTS } from './leg-endpoints.js';
import { MIRRORED_ENDPOINTS } from './mirrored-endpoints.js';
import { OVERVIEW_ENDPOINTS } from './overview-endpoints.js';
import { OPERATOR_ENDPOINTS } from './operator-endpoints.js';
import { PAYMENT_ENDPOINTS } from './payment-endpoints.js';
import { POOL_ENDPOINTS } from './pool-endpoints.js';
import { REFUND_ENDPOINTS } from './refund-endpoints.js';
import { REQUEST_ENDPOINTS } from './request-endpoints.js';
import { SUPPORT_ENDPOINTS } from './support-endpoints.js';
import { STREAM_ENDPOINTS } from './stream.js';
import { SETTING_ENDPOINTS } from './setting-endpoints.js';

/** Every endpoint of the console. The router, the laws and the OpenAPI document are made from this table. */
export const ENDPOINTS: readonly AnyEndpoint[] = [
  ...DOOR_ENDPOINTS,
  ...PAYMENT_ENDPOINTS,
  ...MIRRORED_ENDPOINTS,
  ...REFUND_ENDPOINTS,
  ...SUPPORT_ENDPOINTS,
  ...DELIVERY_ENDPOINTS,
  ...REQUEST_ENDPOINTS,
  ...CLOCK_ENDPOINTS,
  ...CHECKPOINT_ENDPOINTS,
  ...SETTING_ENDPOINTS,
  ...ACCESS_ENDPOINTS,
  ...AUDIT_ENDPOINTS,
  ...APPROVAL_ENDPOINTS,
  ...OVERVIEW_ENDPOINTS,
  ...INSPECT_ENDPOINTS,
  ...STREAM_ENDPOINTS,
  ...ALARM_ENDPOINTS,
  ...OPERATOR_ENDPOINTS,
  ...POOL_ENDPOINTS,
  ...LEG_ENDPOINTS,
];
