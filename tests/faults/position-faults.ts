import { faultsOf, type Fault } from './planted.js';

/** Mistakes in the position from which a lane claims. */
export const positionFaults: readonly Fault[] = [
  ...faultsOf('src/work/lane-positions.ts', [
    ['a position is never renewed', ' || startedAt >= state.renewAt;', ';'],
    [
      'a position is kept when the dead entries are gone',
      'state.position = next === null ? null : (JSON.parse(next) as Position);',
      'if (next !== null) state.position = JSON.parse(next) as Position;',
    ],
    [
      'the position of a claim is not kept',
      'state.position = next === null ? null : (',
      'state.position = true ? null : (',
    ],
    [
      'an earlier claim that ends later sets the position',
      'if (!isNew && (nth <= state.ended || next === null)) return;',
      'if (!isNew && next === null) return;',
    ],
    [
      'rows that are returned during a claim are forgotten when it ends',
      'state.returned = state.returned.filter((head) => !returned.includes(head));',
      'state.returned = [];',
    ],
    ['rows that are returned are not added', 'state.returned = [...state.returned, row];', 'void row;'],
    [
      'rows that are returned replace each other',
      'state.returned = [...state.returned, row];',
      'state.returned = [row];',
    ],
    [
      'a claim does not get the rows that were returned',
      'heads: [...position.heads, ...returned]',
      'heads: position.heads',
    ],
    [
      'the next due time does not see rows that were returned',
      'Math.min(state.position[mode].from, ...returned)',
      'state.position[mode].from',
    ],
    [
      'the next due time starts at the place of the mode',
      'Math.min(state.position[mode].from, ...returned)',
      'Math.min(state.position[mode].due_at, ...returned)',
    ],
    ['all lanes have one position', 'const known = this.lanes.get(lane);', "const known = this.lanes.get('first');"],
  ]),
  ...faultsOf('src/work/record-deliveries.ts', [
    [
      'a row is returned to the lane that it came from',
      'positions.addReturned(next.lane,',
      "positions.addReturned('first',",
    ],
    ['a row is returned as if it were due later', 'start: dueAt });', 'start: dueAt + 1 });'],
  ]),
  ...faultsOf('src/postgres-store.ts', [
    [
      'tasks that are committed late are not added',
      "if (outcome.kind === 'committed') addTasks(positions, change);",
      '',
    ],
  ]),
  ...faultsOf('src/work/claims.ts', [
    [
      'tasks have the position of first attempts',
      "from('tasks', request, (position) =>",
      "from('first', request, (position) =>",
    ],
  ]),
  ...faultsOf('src/work/next-due.ts', [
    [
      'the next due task is read from where deliveries start',
      "positions.firstDue('tasks', mode));",
      "Math.max(0, ...(kinds ?? ['first']).map(() => Date.UTC(2026, 0, 15, 12, 1))));",
    ],
  ]),
  ...faultsOf('sql/migrations/0001-schema/tasks.sql', [
    [
      'the position of tasks is past those of the last second',
      'least(greatest(c.start, c.now - 1000), (',
      'least(greatest(c.start, c.now), (',
    ],
    [
      'the position of tasks is past one that is locked',
      'select t.free_at from gate.tasks t where t.mode = c.mode and t.free_at >= c.start order by t.free_at, t.id limit 1)',
      'select null::bigint)',
    ],
    [
      'the position of tasks does not see those that were returned',
      'select h.mode, h.start from jsonb_to_recordset',
      "select h.mode, h.start from jsonb_to_recordset('[]') as h(mode text, start bigint) union all select h.mode, 9e15::bigint from jsonb_to_recordset",
    ],
  ]),
  ...faultsOf('sql/migrations/0001-schema/deliveries.sql', [
    [
      'only known lanes are listed',
      'select lane from known union all select lane from others;',
      'select lane from known;',
    ],
  ]),
  ...faultsOf('sql/migrations/0001-schema/claims.sql', [
    [
      'a new position is past rows of the last second',
      "'test', jsonb_build_object('due_at', p_now_test - 1000, 'id', '')",
      "'test', jsonb_build_object('due_at', p_now_test, 'id', '')",
    ],
    [
      'a new position has no endpoints',
      "jsonb_build_object('endpoint', h.endpoint, 'mode', h.mode,\n        'start', least(h.due_at, case h.mode when 'test' then p_now_test else p_now_live end - 1000))), '[]'))",
      "jsonb_build_object('endpoint', h.endpoint, 'mode', h.mode,\n        'start', p_now_test)) filter (where false), '[]'))",
    ],
    [
      'a position moves past rows of the last second',
      'then greatest(c.due_at, c.now - 1000) else',
      'then greatest(c.due_at, c.now) else',
    ],
    [
      'a position moves past the rows that were not read',
      'else max(f.due_at) end as due_at,',
      'else c.now end as due_at,',
    ],
    [
      'endpoints of a position are forgotten',
      "from jsonb_to_recordset(v_position -> 'heads') as h(",
      "from jsonb_to_recordset('[]') as h(",
    ],
    [
      'rows that have become due since are not read',
      'union all select f.endpoint, f.mode, f.due_at, null::bigint from fresh f',
      '',
    ],
    [
      'an endpoint is read from its first row that is due now',
      'greatest(k.start, least(coalesce(h.due_at, k.now), k.now - 1000)) as start',
      'greatest(k.start, k.now) as start',
    ],
    [
      'an endpoint is dropped while it has rows',
      'k.due_at <= k.now), array_agg(k.now)',
      'k.due_at < k.now - 5000), array_agg(k.now)',
    ],
    [
      'an endpoint with a backlog leaves the position',
      'where own_now is not null or due_at <= greatest(now, place))',
      'where own_now is not null or due_at > place)',
    ],
    [
      'sandboxes are read by the clock of their mode',
      'coalesce(k.own_now, p.now) as now, coalesce(k.start',
      'p.now as now, coalesce(k.start',
    ],
    [
      'leases before a position do not count',
      'order by q.due_at, q.id limit 256) q),\n      places',
      'and q.lease_token is null order by q.due_at, q.id limit 256) q),\n      places',
    ],
    [
      'the next due time is that of the place of the mode',
      "'from', least(p.due_at, (select min(k.start) from kept k where k.mode = p.mode))",
      "'from', p.due_at",
    ],
  ]),
];
