import type { Law } from '../law.js';
import { auditLaws, savedAuditLaws } from './audit-laws.js';
import { claimLaws } from './claim-laws.js';
import { commitLaws } from './commit-laws.js';
import { consumerLaws } from './consumer-laws.js';
import { counterLaws } from './counter-laws.js';
import { durabilityLaws } from './durability-laws.js';
import { deliveryLaws } from './delivery-laws.js';
import { documentLaws } from './document-laws.js';
import { fairnessLaws } from './fairness-laws.js';
import { endpointHealthLaws } from './endpoint-health-laws.js';
import { endpointLaws } from './endpoint-laws.js';
import { eventListLaws } from './event-list-laws.js';
import { filterLaws } from './filter-laws.js';
import { idempotencyLaws } from './idempotency-laws.js';
import { modelLaws } from './model-law.js';
import { outageLaws } from './outage-laws.js';
import { pagingLaws } from './paging-laws.js';
import { partnerLaws, settingLaws } from './partner-laws.js';
import { raceLaws } from './race-laws.js';
import { effectiveStatusLaws, readLaws } from './read-laws.js';
import { reapLaws } from './reap-laws.js';
import { replayLaws } from './replay-laws.js';
import { secondProcessLaws } from './second-process-laws.js';
import { scopeLaws } from './scope-laws.js';
import type { OpenStore, StoreOnTrial, StoreSubject } from './store-subject.js';
import type { ModelRun } from './model/model-run.js';
import { taskLaws } from './task-laws.js';

export type { ModelRun, OpenStore, StoreOnTrial, StoreSubject };

/** The laws of `Store`. A store that passes them may serve live traffic, and test mode without clocks of single sandboxes. */
export const storeLaws: readonly Law<StoreSubject>[] = [
  ...commitLaws,
  ...idempotencyLaws,
  ...raceLaws,
  ...scopeLaws,
  ...readLaws,
  ...effectiveStatusLaws,
  ...filterLaws,
  ...pagingLaws,
  ...eventListLaws,
  ...documentLaws,
  ...deliveryLaws,
  ...claimLaws,
  ...fairnessLaws,
  ...replayLaws,
  ...endpointLaws,
  ...endpointHealthLaws,
  ...taskLaws,
  ...reapLaws,
  ...counterLaws,
  ...consumerLaws,
  ...partnerLaws,
  ...settingLaws,
  ...auditLaws,
  ...savedAuditLaws,
  ...durabilityLaws,
  ...secondProcessLaws,
  ...outageLaws,
  ...modelLaws,
];
