import { faultsOf, type Fault } from './planted.js';

/** Mistakes of a commit: something it does not check or write, or should not change. */
export const commitFaults: readonly Fault[] = [
  ...faultsOf('store/commit-change.ts', [
    ['consumers are not looked at', 'change.consumers < tables.consumers.version', 'change.consumers < 0'],
    ['consumers of the very same version are refused', 'change.consumers < tables', 'change.consumers <= tables'],
    ['a taken key is passed over', 'if (refusal !== null) return refusal;', ''],
    ['a mark is passed over', "if (mark !== undefined) return { kind: 'duplicate', mark };", ''],
    ['only the first mark is looked at', 'change.once.find(', 'change.once.slice(0, 1).find('],
    ['marks are never set', 'for (const mark of change.once) tables.once.add(mark);', ''],
    ['marks are per partner', 'tables.once.has(name)', 'tables.once.has(`${change.scope.partnerId}${name}`)'],
    [
      'versions of sessions are not looked at',
      'change.sessions.every((next) => tables.sessions.accepts(scope, next))',
      'true',
    ],
    [
      'one fresh session of several is enough',
      'change.sessions.every(',
      '(change.sessions.length === 0) || change.sessions.some(',
    ],
    [
      'versions of intents are not looked at',
      'change.intents.every((next) => tables.intents.accepts(scope, next))',
      'true',
    ],
    [
      'versions of transactions are not looked at',
      'change.transactions.every((next) => tables.transactions.accepts(scope, next))',
      'true',
    ],
    [
      'versions of documents are not looked at',
      'change.documents.every((next) => tables.documents.accepts(scope, next))',
      'true',
    ],
    ['events are taken twice', 'change.events.every((event) => tables.events.accepts(event))', 'true'],
    ['deliveries are taken twice', 'deliveries.every((row) => !tables.deliveries.has(row.id))', 'true'],
    ['tasks are taken twice', 'change.tasks.every((row) => !tables.tasks.has(row.id))', 'true'],
    ['a lost lease finishes a task', 'change.finishes.every((finish) => tables.tasks.accepts(finish))', 'true'],
    [
      'a counter that cannot afford it is written',
      "if (counters.kind === 'insufficient') return counters;",
      "if (counters.kind === 'insufficient') return { kind: 'committed' };",
    ],
    ['counters are never written', 'tables.counters.write(counters.values);', ''],
    [
      'the key is never written',
      'if (change.idempotency !== null) tables.idempotency.put(change.idempotency, change.scope.mode);',
      '',
    ],
    ['intents are never written', 'for (const next of change.intents) tables.intents.write(next);', ''],
    ['transactions are never written', 'for (const next of change.transactions) tables.transactions.write(next);', ''],
    ['documents are never written', 'for (const next of change.documents) tables.documents.write(next);', ''],
    ['events are never written', 'for (const event of change.events) tables.events.add(event);', ''],
    ['tasks are never written', 'for (const row of change.tasks) tables.tasks.put(row, change.now);', ''],
    ['finishes are never written', 'for (const { row } of change.finishes) tables.tasks.put(row, change.now);', ''],
    ['deliveries go to an endpoint that is not set', "when === 'always' || hasUrl(tables, change)", 'true'],
    [
      'no delivery goes out without an endpoint',
      "when === 'always' || hasUrl(tables, change)",
      "when !== 'always' || hasUrl(tables, change)",
    ],
    [
      'an endpoint without a URL counts as set',
      '(tables.partners.endpoint(change.scope)?.url ?? null) !== null',
      'tables.partners.endpoint(change.scope) !== null',
    ],
    [
      'the endpoint of test mode serves both',
      'tables.partners.endpoint(change.scope)',
      "tables.partners.endpoint({ ...change.scope, mode: 'live' })",
    ],
    [
      'counters are checked before versions',
      "if (!isFresh(tables, change, deliveries)) return { kind: 'stale' };",
      "const early = tables.counters.plan(change.counters);\n  if (early.kind === 'insufficient') return early;\n  if (!isFresh(tables, change, deliveries)) return { kind: 'stale' };",
    ],
  ]),

  ...faultsOf('store/versioned-table.ts', [
    [
      "another partner's row is found",
      'row !== undefined && belongsTo(row, scope) ? row : null',
      'row !== undefined ? row : null',
    ],
    [
      "another partner's row is written over",
      'return this.find(scope, id)?.version === write.expectedVersion;',
      'return this.entries.get(id)?.row.version === write.expectedVersion;',
    ],
    ['a version that was never reached is accepted', '?.version === write.expectedVersion', '?.version !== undefined'],
    [
      'an older version is accepted',
      '(scope, id)?.version === write.expectedVersion',
      '(scope, id) !== null && (this.find(scope, id)?.version ?? 0) >= write.expectedVersion',
    ],
    ['an insert writes over what is there', 'return !this.entries.has(id);', 'return true;'],
    ['an insert is refused for ever', 'return !this.entries.has(id);', 'return false;'],
    ['an update is answered and not done', 'entry.row = row;', ''],
    ['a row is found and not listed', 'this.index.add(row, fresh);', ''],
    [
      'metadata stays as it was at the insert',
      'entry.row = row;',
      "entry.row = 'metadata' in row && 'metadata' in former ? ({ ...row, metadata: former.metadata } as Row) : row;",
    ],
    [
      'metadata goes through a parser when a row is updated',
      'entry.row = row;',
      "entry.row = 'metadata' in row ? ({ ...row, metadata: JSON.stringify(JSON.parse(String(row.metadata))) } as Row) : row;",
    ],
    ['what is reaped of a document is still listed', 'this.index.remove(row, { id });', ''],
  ]),

  ...faultsOf('store/intent-table.ts', [
    ['an operation is found in the other mode', '`${mode}/${provider}/${operationId}`', '`${provider}/${operationId}`'],
    [
      "an operation is found under another provider's name",
      '`${mode}/${provider}/${operationId}`',
      '`${mode}/${operationId}`',
    ],
    [
      'an operation shows its intent as it was first',
      'this.byOperation.set(operationName(write.row), write.row);',
      'if (former === null) this.byOperation.set(operationName(write.row), write.row);',
    ],
  ]),

  ...faultsOf('store/event-table.ts', [
    [
      "another partner's event is found",
      'event !== undefined && belongsTo(event, scope) ? event : null',
      'event ?? null',
    ],
    ["another partner's events are listed", '.filter((event) => belongsTo(event, scope))', ''],
    [
      'one sequence has two events',
      'return !(this.bySession.get(event.sessionId) ?? []).some(({ sequence }) => sequence === event.sequence);',
      'return true;',
    ],
    ['events are listed as they came', 'events.splice(placeOf(event, events), 0, event)', 'events.push(event)'],
    [
      'events are listed by their random ids',
      'if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt;',
      'return one.id < other.id;',
    ],
    ['events of one instant are listed in any order', 'if (earlier !== later) return earlier < later;', ''],
    [
      'events of a cursor that is not there are listed',
      'return cursor === null ? null : walkFrom(start.kind, cursor);',
      'return cursor === null ? FROM_THE_NEWEST : walkFrom(start.kind, cursor);',
    ],
    ['events are listed newest first', 'events.splice(placeOf(event, events), 0, event)', 'events.unshift(event)'],
  ]),

  ...faultsOf('store/counter-table.ts', [
    ['a guard is off by one', 'decimal.compare(next, atLeast) < 0', 'decimal.compare(next, atLeast) <= 0'],
    ['a guard is not looked at', 'if (atLeast !== null && decimal.compare(next, atLeast) < 0)', 'if (false)'],
    [
      'a guard looks at the value before',
      'decimal.compare(next, atLeast) < 0',
      'decimal.compare(this.read(name), atLeast) < 0',
    ],
    ['two moves of one counter are one', 'values.get(name) ?? this.read(name)', 'this.read(name)'],
    [
      'counters are floating-point numbers',
      'decimal.add(values.get(name) ?? this.read(name), delta)',
      'String(Number(values.get(name) ?? this.read(name)) + Number(delta))',
    ],
    ['a counter is set, not moved', 'decimal.add(values.get(name) ?? this.read(name), delta)', 'delta'],
  ]),

  ...faultsOf('store/idempotency-table.ts', [
    ['a key is free at its last instant', 'return now > row.expiresAt;', 'return now >= row.expiresAt;'],
    ['a key never expires', 'return now > row.expiresAt;', 'return false;'],
    [
      'another request gets the reply',
      'readKey(this.rows.get(rowName(ref)) ?? null, ref, now)',
      'readKey(this.rows.get(rowName(ref)) ?? null, { ...ref, fingerprint: this.rows.get(rowName(ref))?.fingerprint ?? ref.fingerprint }, now)',
    ],
    ['one key for all partners', '`${ref.scope}\\n${ref.keyHash}`', 'ref.keyHash'],
    [
      'a seal replaces a sealed reply',
      "write.kind === 'seal' && outcome?.kind === 'in_progress'",
      "write.kind === 'seal'",
    ],
    ['nothing can be sealed', "write.kind === 'seal' && outcome?.kind === 'in_progress' ? null : outcome", 'outcome'],
    [
      'a seal needs its start',
      "write.kind === 'seal' && outcome?.kind === 'in_progress' ? null : outcome",
      "write.kind === 'seal' ? (outcome?.kind === 'in_progress' ? null : (outcome ?? { kind: 'key_mismatch' })) : outcome",
    ],
    [
      'started work can be taken over by a claim',
      "write.kind === 'seal' && outcome?.kind === 'in_progress'",
      "outcome?.kind === 'in_progress'",
    ],
    [
      'a seal keeps the expiry of the start',
      '{ fingerprint: ref.fingerprint, state, expiresAt }',
      '{ fingerprint: ref.fingerprint, state, expiresAt: this.rows.get(name)?.expiresAt ?? expiresAt }',
    ],
    [
      'a key is reaped a millisecond early',
      'if (row === undefined || !hasExpired(row, now))',
      'if (row === undefined)',
    ],
    ['a key that was taken again is reaped', "if (row === undefined || !hasExpired(row, now)) return 'kept';", ''],
    ['keys are never reaped', 'this.expiring[mode].keep(name, expiresAt + 1);', ''],
    [
      'keys are reaped in both modes',
      'this.expiring[mode].take(now)',
      '(this.expiring[mode].take(now) ?? this.expiring.live.take(now))',
    ],
  ]),
];
