import { faultsOf, type Fault } from './planted.js';
import { statementFaults } from './postgres-statement-faults.js';

const SENT = `    const parameters = [...commitParameters(changes), knownConsumers(changes), ...auditParameters(audit)];
    const [row] = await database.query<{ is_current: boolean; answer: string | null }>(text, parameters);`;

/** The sections at these positions are committed by a separate statement, before the others. */
const inTwoCommits = (what: string, places: readonly number[]): readonly [string, string, string] => [
  `${what} before its commit`,
  SENT,
  `  const first = ${JSON.stringify(places)};
  const part = (isFirst) => [...commitParameters(changes).map((one, nth) => (first.includes(nth) === isFirst ? one : null)), knownConsumers(changes), ...auditParameters(audit)];
  await database.query(text, part(true));
  const [row] = await database.query(text, part(false));`,
];

/** The first answer is cached forever. */
const kept = (asked: string): string =>
  `const kept = new Map();
  const once = (key, ask) => { if (!kept.has(key)) kept.set(key, ask()); return kept.get(key); };
  ${asked}`;

const PARTS =
  'return { ...store, readTime: postgresTime(pool), ...rememberedKeys(store, options.keyMemoryMs ?? 2_000) };';

/** Mistakes of one process between the port and the database. */
const processFaults: readonly Fault[] = [
  ...faultsOf('src/postgres-store.ts', [
    ['keys are remembered for ever', 'options.keyMemoryMs ?? 2_000', 'Infinity'],
    [
      'a commit that fails leaves the process ahead of its database',
      PARTS,
      `const ahead = new Map();
  return { ...store, readTime: postgresTime(pool), ...rememberedKeys(store, 2_000),
    commit: async (change) => {
      for (const { row } of change.sessions) ahead.set(row.id, row);
      const outcome = await store.commit(change);
      for (const { row } of change.sessions) ahead.delete(row.id);
      return outcome;
    },
    find: async (noun, ...key) => (noun === 'session' && ahead.get(key[1])) || store.find(noun, ...key) };`,
    ],
    [
      'a session is remembered as this process wrote it',
      PARTS,
      `const mine = new Map();
  return { ...store, readTime: postgresTime(pool), ...rememberedKeys(store, 2_000),
    commit: async (change) => {
      const outcome = await store.commit(change);
      if (outcome.kind === 'committed') for (const { row } of change.sessions) mine.set(row.partnerId + row.mode + row.id, row);
      return outcome;
    },
    find: async (noun, scope, id) => (noun === 'session' && mine.get(scope.partnerId + scope.mode + id)) || store.find(noun, scope, id) };`,
    ],
    [
      'documents stay in the process until the next commit',
      PARTS,
      `let waiting = [];
  return { ...store, readTime: postgresTime(pool), ...rememberedKeys(store, 2_000),
    commit: async (change) => {
      const documents = waiting;
      waiting = change.documents;
      return store.commit({ ...change, documents });
    } };`,
    ],
    [
      'replies are remembered for ever',
      '    findReply: findReply(database, parts),',
      '    findReply: ((find, known) => (ref, now) => { const key = JSON.stringify(ref); if (!known.has(key)) known.set(key, find(ref, now)); return known.get(key); })(findReply(database, parts), new Map()),',
    ],
    [
      'reaping is put off',
      '    reap: (distribution?.reap ?? reap)(database, schema),',
      '    reap: async (request) => { setTimeout(() => void reap(database, schema)(request), 3_600_000).unref(); return 1; },',
    ],
    [
      'a result is acknowledged before it is recorded',
      'recordDelivery: (outcome) => records.add(outcome),',
      "recordDelivery: async (outcome) => { setTimeout(() => void records.add(outcome).catch(() => undefined), 50); return 'recorded'; },",
    ],
    [
      'a result that could not be recorded is acknowledged',
      'recordDelivery: (outcome) => records.add(outcome),',
      "recordDelivery: (outcome) => records.add(outcome).catch(() => 'recorded'),",
    ],
    [
      'a result is kept in the process while it cannot be recorded',
      'recordDelivery: (outcome) => records.add(outcome),',
      "recordDelivery: (outcome) => records.add(outcome).catch(() => new Promise((resolve) => setTimeout(() => resolve(records.add(outcome).catch(() => 'lost')), 50))),",
    ],
  ]),

  ...faultsOf('src/commit/committer.ts', [
    [
      'a commit is acknowledged before it is sent',
      '    return change.audit === null ? fold.add(change) : single(change, change.audit);',
      "    setTimeout(() => void fold.add(change).catch(() => undefined), 50);\n    return { kind: 'committed' };",
    ],
    [
      'a commit that failed is acknowledged',
      '    if (isConflict(error)) return null;\n    throw error;',
      "    if (isConflict(error)) return null;\n    return { kind: 'committed' };",
    ],
    [
      'creates that the database refused are acknowledged',
      "    return 'all';",
      `    return codeOf(error) === '23505' ? 'all' : [];`,
    ],
    [
      'a commit that failed is written later',
      '    return change.audit === null ? fold.add(change) : single(change, change.audit);',
      `    return fold.add(change).catch((error) => {
      setTimeout(() => void fold.add(change).catch(() => undefined), 5_500).unref();
      const again = setInterval(() => fold.add(change).then(() => clearInterval(again), () => undefined), 20);
      again.unref();
      throw error;
    });`,
    ],
    ['the answer of one commit is that of its whole batch', 'outcomes[refused.indexOf(nth + 1)] ?? result', 'result'],
    inTwoCommits('a key is taken', [0]),
    inTwoCommits('a mark is set', [1]),
    inTwoCommits('a session and its events are written', [2, 12]),
    inTwoCommits('a document is written', [8]),
    inTwoCommits('a task is left', [15]),
    inTwoCommits('a counter is moved', [17]),
  ]),

  ...faultsOf('src/reads/row-by-key.ts', [
    [
      'rows are remembered for ever',
      '  return async (table, key) => folds[table].add({ ...key, span: await spanOf(table, key) });',
      `  ${kept('return async (table, key) => once(table + JSON.stringify(key), async () => folds[table].add({ ...key, span: await spanOf(table, key) }));')}`,
    ],
  ]),
  ...faultsOf('src/reads/reading.ts', [
    [
      'what leads to a few rows is remembered for ever',
      "  const find: Reading['find'] = (text, values) => reads.run(() => database.query(text, values));",
      `  ${kept('const find = (text, values) => once(text + JSON.stringify(values), () => reads.run(() => database.query(text, values)));')}`,
    ],
    [
      'pages are remembered for ever',
      '    list: (statement) => inPage((ask) => ask(statement)),',
      '    list: ((known) => (statement) => { const key = JSON.stringify(statement); if (!known.has(key)) known.set(key, inPage((ask) => ask(statement))); return known.get(key); })(new Map()),',
    ],
  ]),
  ...faultsOf('src/reads/documents.ts', [
    [
      'counters are remembered for ever',
      '    const rows = await reading.find<CounterRow>(text, reading.isDistributed ? [names, partnerId] : [names]);',
      '    const rows = await (reading.counters ??= new Map()).get(String(names)) ?? await reading.find(text, [names]);\n    reading.counters.set(String(names), rows);',
    ],
  ]),
  ...faultsOf('src/work/one-item.ts', [
    [
      'tasks are remembered for ever',
      '  return async ({ partnerId, mode }, id) => first(await database.query<TaskRow>(find, [mode, id, partnerId]));',
      `  ${kept('return async ({ partnerId, mode }, id) => first(await once(id, () => database.query(find, [mode, id, partnerId])));')}`,
    ],
    [
      'a lease of one task is not written',
      `const claim = \`update "\${schema}".tasks
    set lease_token = $5, lease_until = $3::bigint + $4::bigint, free_at = $3::bigint + $4::bigint, claims = claims + 1
    where id = $2 and mode collate "POSIX" = $1 and free_at is not null
      and (lease_token is null or lease_until <= $3) and (free_at <= $3 or $6)
    returning \${COLUMNS}\`;`,
      `const claim = \`select row::text as task, $5::text as lease_token, $3::bigint + $4::bigint as lease_until, claims + 1 as claims from "\${schema}".tasks
    where id = $2 and mode collate "POSIX" = $1 and free_at is not null
      and (lease_token is null or lease_until <= $3) and (free_at <= $3 or $6)\`;`,
    ],
  ]),
  ...faultsOf('src/work/next-due.ts', [
    [
      'what is due next is remembered for ever',
      '      const rows = await database.query<DueRow>(text, values);',
      '      const key = text + JSON.stringify(values);\n      const rows = (run.kept ??= new Map()).get(key) ?? await database.query(text, values);\n      run.kept.set(key, rows);',
    ],
  ]),
  ...faultsOf('src/registry.ts', [
    [
      'consumers are remembered for ever',
      '      const rows = await database.query<ConsumerRow>(read, []);',
      '      const rows = await (this.kept ??= database.query(read, []));',
    ],
    [
      'consumers are registered in the process',
      '      await database.query(`select "${schema}".register_consumers($1)`, [JSON.stringify(names)]);',
      '      void names;',
    ],
    [
      'consumers are removed a while later',
      '      const rows = await database.query(text, [name, audit === null ? null : JSON.stringify(audit)]);',
      '      const rows = [1];\n      setTimeout(() => void database.query(text, [name, null]), 50);',
    ],
  ]),
  ...faultsOf('src/registry.ts', [
    [
      'settings are remembered for ever',
      `  const readSetting = async (name: string): Promise<string | null> =>
    (await database.query<ValueRow>(read, [name]))[0]?.value ?? null;`,
      `  ${kept('const readSetting = async (name) => (await once(name, () => database.query(read, [name])))[0]?.value ?? null;')}`,
    ],
    [
      'settings stay in the process',
      `      } else if (expected === null) await database.query(insert, [name, value]);
      else await database.query(replace, [name, expected, value]);
      const present = await readSetting(name);`,
      '      }\n      const present = value;',
    ],
    [
      'the last to set a setting wins',
      'not exists (select from "${schema}".idempotency_keys)\n    on conflict (name) do nothing',
      'not exists (select from "${schema}".idempotency_keys)\n    on conflict (name) do update set value = excluded.value',
    ],
    ['a setting is replaced whatever it is', 'where name = $1 and value = $2', "where name = $1 and $2 <> ''"],
  ]),
  ...faultsOf('sql/migrations/0001-schema/audit.sql', [
    ['audit entries continue whatever the trail ends with', " and value = p_audit ->> 'expectedHead'", ''],
    ['audit entries do not move the end of the trail', "set value = p_audit ->> 'head'", 'set value = value'],
  ]),
  ...faultsOf('sql/migrations/0001-schema/commit-changes.sql', [
    [
      'a change is committed without the audit entries that no longer fit',
      'if answer is null and not gate.append_audit(p_audit) then raise',
      'if not gate.append_audit(p_audit) and false then raise',
    ],
    [
      'audit entries of a refused change are kept',
      'if answer is null and not gate.append_audit(p_audit) then raise',
      'if not gate.append_audit(p_audit) then raise',
    ],
  ]),
  ...faultsOf('src/partners.ts', [
    [
      'a row is saved whether its audit entries fit or not',
      "return rows.length > 0 ? 'saved' : 'stale';",
      "if (rows.length === 0) await database.query(text, [...values, null]);\n    return rows.length > 0 ? 'saved' : 'stale';",
    ],
    [
      'partners are remembered for ever',
      'return parseFirst<Partner>(await database.query<RowText>(findPartner, [id]));',
      'return parseFirst(await ((this.partners ??= {})[id] ??= database.query(findPartner, [id])));',
    ],
    [
      'endpoints are remembered for ever',
      'return parseFirst<WebhookEndpoint>(await database.query<RowText>(findEndpoint, [scope.partnerId, scope.mode]));',
      'return parseFirst(await ((this.endpoints ??= {})[scope.partnerId + scope.mode] ??= database.query(findEndpoint, [scope.partnerId, scope.mode])));',
    ],
    [
      'lists of keys are remembered for ever',
      'const rows = await database.query<RowText & { last_used_at: string | null }>(listKeys, [partnerId]);',
      'const rows = await ((this.lists ??= {})[partnerId] ??= database.query(listKeys, [partnerId]));',
    ],
    [
      'a use of a key is noted in the process',
      '      await database.query(noteKeyUse, [hash, at]);',
      '      (savers.uses ??= new Map()).set(hash, at);',
    ],
    [
      'a use of a key is noted a while later',
      '      await database.query(noteKeyUse, [hash, at]);',
      '      setTimeout(() => void database.query(noteKeyUse, [hash, at]), 50);',
    ],
    [
      'a partner is saved a while later',
      'save(savePartner, [row.id, JSON.stringify(row)], audit)',
      "(setTimeout(() => void save(savePartner, [row.id, JSON.stringify(row)], audit), 50), Promise.resolve('saved'))",
    ],
    [
      'a partner that is saved is reinstated',
      "p.row->>'suspendedAt' is null",
      "p.row->>'suspendedAt' is not null or true",
    ],
    ['a reinstated partner stays suspended', "row::jsonb - 'suspendedAt' || ", 'row::jsonb || '],
    [
      'a key is saved when it is new alone',
      `on conflict (hash) do update set partner_id = excluded.partner_id, row = case`,
      `on conflict (hash) do update set row = case when true then k.row`,
    ],
    [
      'an endpoint is saved when it is new alone',
      'on conflict (partner_id, mode) do update set url = excluded.url, row = excluded.row',
      'on conflict (partner_id, mode) do nothing',
    ],
  ]),
];

export const postgresFaults: readonly Fault[] = [...processFaults, ...statementFaults];
