import { faultsOf, type Fault } from './planted.js';

/** Mistakes in the statements of distributed tables that claim and record. */
export const citusFaults: readonly Fault[] = [
  ...faultsOf('sql/migrations/0001-functions/work.sql', [
    [
      'the share of an endpoint is not counted again',
      `select count(*) into leased from gate.delivery_queue q
    where q.partner_id = p_partner and q.lane = p_lane and q.endpoint = p_endpoint and q.lease_until > p_now;`,
      'leased := 0;',
    ],
    [
      'claims of one endpoint run at the same time',
      "perform pg_advisory_xact_lock(hashtextextended('gate.claim_deliveries/' || p_lane || '/' || p_endpoint, 0));",
      '',
    ],
    ['a claim takes what is leased', 'and (q.lease_token is null or q.lease_until <= p_now);', ';'],
    [
      'a lost lease records an end',
      'delete from gate.delivery_queue where partner_id = p_partner and id = w.id and mode = w.mode and lease_token = w.token;',
      'delete from gate.delivery_queue where partner_id = p_partner and id = w.id and mode = w.mode;',
    ],
    [
      'a failure is not counted',
      'do update set consecutive_failures = h.consecutive_failures + 1,',
      'do update set consecutive_failures = h.consecutive_failures,',
    ],
  ]),
  ...faultsOf('src/work.ts', [
    ['leases do not count in the share', 'Math.max(0, perEndpoint - (ofEndpoint.length - free.length))', 'perEndpoint'],
    ['sandboxes run by the time of the mode', 'now: at, sandbox })', 'now: now.test, sandbox })'],
    ['sandboxes run by the time of the mode too', "mode === 'test' ? [...sandboxes.keys()] : []", '[]'],
    [
      'the turns of endpoints do not alternate',
      '.sort((one, other) => one.turn - other.turn || byLateness(one, other))',
      '.sort(byLateness)',
    ],
    ['a claim does not look again', 'const ROUNDS_MAX = 8;', 'const ROUNDS_MAX = 1;'],
    ['leases are not seen among what is next', 'return [head, held].filter(', 'return [head].filter('],
  ]),
];
