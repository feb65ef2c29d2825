import { faultsOf, type Fault } from './planted.js';

const COMMIT = 'sql/migrations/0001-schema/commit-changes.sql';

/** A section of a commit that is silently skipped. */
const unwritten = (what: string, section: string): readonly [string, string, string] => [
  `${what} are never written`,
  `if ${section} is not null then`,
  'if false then',
];

/** The same for a section whose rows are locked and compared first: `columns` are the start of the list of written columns. */
const unmoved = (what: string, section: string, columns: string): readonly [string, string, string] => [
  `${what} are answered and not written`,
  `from json_to_recordset(${section}) as w(m int, ${columns}`,
  `from json_to_recordset('[]') as w(m int, ${columns}`,
];

/** Statements that omit, do not lock, or do not wait for something. */
export const statementFaults: readonly Fault[] = [
  ...faultsOf(COMMIT, [
    unwritten('keys', 'p_keys'),
    unwritten('sessions', 'p_sessions'),
    unwritten('intents', 'p_intents'),
    unwritten('transactions', 'p_transactions'),
    unwritten('documents', 'p_documents'),
    unwritten('events', 'p_events'),
    unwritten('deliveries', 'p_deliveries'),
    unwritten('tasks', 'p_tasks'),
    unmoved('changed sessions', 'p_moved_sessions', 'partner text, mode text, id text, row json)'),
    unmoved('changed intents', 'p_moved_intents', 'partner text, mode text, id text, row json)'),
    unmoved('changed transactions', 'p_moved_transactions', 'partner text, mode text, id text, row json)'),
    unmoved('changed documents', 'p_moved_documents', '"partnerId" text, mode text, noun text, id text, version int'),
    unmoved('finishes', 'p_finishes', 'now bigint'),
    [
      'marks are looked at and never set',
      'select mark from w order by mark on conflict do nothing returning 1)\n      select (select count(*) from w) -',
      'select mark from w where false on conflict do nothing returning 1)\n      select (select count(*) from kept) -',
    ],
    [
      'counters are looked at and never moved',
      'insert into gate.counters as c (name, value) values (move.name, move.delta)',
      'continue;\n      insert into gate.counters as c (name, value) values (move.name, move.delta)',
    ],
    [
      'an endpoint of a commit is not written',
      'mode = w.mode and w.expected is not null and w.m <> all (refused);',
      'mode = w.mode and false;',
    ],
    [
      'a replay is answered and not written',
      'from w where d.partner_id = w.partner and d.mode = w.mode and d.id = w.id)',
      'from w where false and d.partner_id = w.partner)',
    ],
    [
      'versions of sessions are read without a lock',
      'from gate.sessions where partner_id = w.partner and mode = w.mode and id = w.id for no key update',
      'from gate.sessions where partner_id = w.partner and mode = w.mode and id = w.id',
    ],
    [
      'a reservation is checked before it is written, and no more',
      ' where move.floor is null or c.value + excluded.value >= move.floor;',
      ';',
    ],
    [
      'the last to take a key has it',
      'where k.expires_at <= excluded.taken_at\n          or (excluded.written_by',
      'where k.expires_at <= excluded.taken_at or true\n          or (excluded.written_by',
    ],
    [
      'a delivery that cannot be written is left out',
      '  if p_deliveries is not null then\n',
      "  if exists (select from pg_trigger where tgrelid = 'gate.deliveries'::regclass) then p_deliveries := null; end if;\n  if p_deliveries is not null then\n",
    ],
    [
      'a commit does not wait for the disk',
      '  move record;\nbegin\n',
      "  move record;\nbegin\n  perform set_config('synchronous_commit', 'off', true);\n",
    ],
  ]),

  ...faultsOf('sql/migrations/0001-schema/commit-new-rows.sql', [
    [
      'sessions of creates are never written',
      'as w(m, id, flow, currency, user_reference, expires, row)\n      where',
      'as w(m, id, flow, currency, user_reference, expires, row)\n      where false and',
    ],
    [
      'events of creates are never written',
      's.mode = p_mode[w.m]\n      where',
      's.mode = p_mode[w.m]\n      where false and',
    ],
    [
      'deliveries of creates are never written',
      'as w(m, always, id, event, type, endpoint, row)\n      where',
      'as w(m, always, id, event, type, endpoint, row)\n      where false and',
    ],
    [
      'deliveries of creates are in no queue',
      "select id, partner, mode, 'first', endpoint, event, now, 0 from w;",
      "select id, partner, mode, 'first', endpoint, event, now, 0 from w where false;",
    ],
    [
      'the last create to take a key has it',
      'where k.expires_at <= excluded.taken_at',
      'where k.expires_at <= excluded.taken_at or true',
    ],
    [
      'a create does not wait for the disk',
      "  refused int[] := '{}';\nbegin\n",
      "  refused int[] := '{}';\nbegin\n  perform set_config('synchronous_commit', 'off', true);\n",
    ],
  ]),

  ...faultsOf('sql/migrations/0001-schema/claims.sql', [
    [
      'leases of deliveries are not written',
      `update gate.delivery_queue q
        set lease_token = p_token, lease_until = l.now + p_lease_ms, claims = q.claims + 1
        from locked l where q.ctid = l.at
        returning q.id, q.partner_id, q.mode, q.event_id, q.claims, l.late)`,
      `select q.id, q.partner_id, q.mode, q.event_id, q.claims, l.late
        from gate.delivery_queue q join locked l on q.ctid = l.at)`,
    ],
    [
      'claims of one lane run at the same time',
      "perform pg_advisory_xact_lock(hashtextextended('gate.claim_deliveries/' || p_lane, 0));",
      '',
    ],
    ['a claim has no events whose keys are missing', 'if keys < cardinality(event_ids) then', 'if false then'],
    [
      'a claim has only the deliveries of one partition',
      'and (d.id >= first_id and d.id <= last_id or d.id = first_id)\n        join',
      'and d.id = first_id\n        join',
    ],
    [
      'a lease of one delivery is not written',
      `update gate.delivery_queue q set lease_token = p_token, lease_until = p_now + p_lease_ms, claims = q.claims + 1
      where q.id = p_id and q.mode collate "POSIX" = p_mode and q.due_at <= p_now and (q.lease_token is null or q.lease_until <= p_now)
      returning q.*)`,
      'select q.* from gate.delivery_queue q where q.id = p_id and q.due_at <= p_now)',
    ],
  ]),

  ...faultsOf('sql/migrations/0001-schema/deliveries.sql', [
    [
      'a result is taken from the queue and not written',
      'where w.n = any (recorded) and d.partner_id',
      'where false and d.partner_id',
    ],
    [
      'the health of an endpoint is never written',
      'where s.failure_at is not null or k.last_success_at',
      'where false and k.last_success_at',
    ],
    [
      'a lost lease records an end',
      `w.mode and q.lease_token = w.token limit 1) q
      where w.due_at is null),
    gone as (
      delete from gate.delivery_queue q using mine m where q.ctid = m.at and q.lease_token = m.token
`,
      `w.mode limit 1) q
      where w.due_at is null),
    gone as (
      delete from gate.delivery_queue q using mine m where q.ctid = m.at
`,
    ],
    [
      'a lost lease records a failure',
      `w.mode and q.lease_token = w.token limit 1) q
        where w.due_at is not null),
      back as (
        update gate.delivery_queue q set lane = m.lane, due_at = m.due_at, lease_token = null, lease_until = null, claims = m.claims
        from mine m where q.ctid = m.at and q.lease_token = m.token
`,
      `w.mode limit 1) q
        where w.due_at is not null),
      back as (
        update gate.delivery_queue q set lane = m.lane, due_at = m.due_at, lease_token = null, lease_until = null, claims = m.claims
        from mine m where q.ctid = m.at
`,
    ],
    [
      'a result that cannot be written is left out',
      '  recorded := ended || queued;\n',
      "  recorded := ended || queued;\n  if exists (select from pg_trigger where tgrelid = 'gate.deliveries'::regclass) then return recorded; end if;\n",
    ],
    [
      'a result does not wait for the disk',
      '  said_failure text[];\nbegin\n',
      "  said_failure text[];\nbegin\n  perform set_config('synchronous_commit', 'off', true);\n",
    ],
  ]),

  ...faultsOf('sql/migrations/0001-schema/tasks.sql', [
    [
      'leases of tasks are not written',
      `update gate.tasks t
        set lease_token = p_token, lease_until = p.now + p_lease_ms, free_at = p.now + p_lease_ms, claims = t.claims + 1
        from picked p where t.id = p.id
        returning t.*, p.late)`,
      'select t.*, p.late from gate.tasks t join picked p on t.id = p.id)',
    ],
  ]),

  ...faultsOf('sql/migrations/0001-schema/partners.sql', [
    [
      'a consumer that was removed is not registered again',
      'do update set is_removed = false, version = excluded.version where c.is_removed',
      'do nothing',
    ],
    [
      'a removal is answered and not written',
      'where name = p_name and not is_removed',
      'where false and not is_removed',
    ],
  ]),

  ...faultsOf('src/reap.ts', [
    ...['idempotency_keys', 'tasks', 'documents', 'deliveries'].map((table): readonly [string, string, string] => [
      `${table} are answered as reaped and stay`,
      '  return `with old as materialized (',
      `  if (table === '${table}') return \`select count(*)::int as deleted from (select 1 from "\${schema}".\${table} where \${isOld} limit $3) old\`;
  return \`with old as materialized (`,
    ]),
  ]),

  ...faultsOf('src/errors.ts', [
    [
      'an outage looks like a bug',
      'if (code === null || !MISSING.test(code) || !(error instanceof Error)) return asOutage(error);',
      'if (code === null || !MISSING.test(code) || !(error instanceof Error)) return error;',
    ],
  ]),
];

/** Mistakes that appear between processes, after a process, or when the database fails; the memory store has none of them. */
