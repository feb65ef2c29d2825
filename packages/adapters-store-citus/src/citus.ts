import type { Distribution } from '@gateramp/adapters-store-postgres/distribution';
import { commitsOfPartner, earlierMarks, saversOf } from './commit.js';
import { taskFinder } from './one-item.js';
import { operatorOfShards } from './operator.js';
import { pollOfShards } from './poll.js';
import { reapByPartner } from './reap.js';
import { workOfPartners } from './work.js';

/**
 * For tables that `sql/distribute.sql` has distributed by partner: pass it as `distribution` to `postgresStore`, `pollingScheduler`,
 * `postgresOperator` and `withTransaction`. Each statement of a request then names the partner, and a commit statement has changes of one
 * partner.
 */
export const citus: Distribution = {
  commits: commitsOfPartner,
  earlierMarks,
  savers: saversOf,
  reap: reapByPartner,
  work: workOfPartners,
  findTask: taskFinder,
  poll: pollOfShards,
  operator: operatorOfShards,
};
