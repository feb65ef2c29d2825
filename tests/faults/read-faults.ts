import { faultsOf, type Fault } from './planted.js';

/** Mistakes in lists, look-ups, settings, keys and reaping. */
export const readFaults: readonly Fault[] = [
  ...faultsOf('store/scoped-index.ts', [
    ['a page has no row more than its limit', 'if (rows.length > limit) break;', 'if (rows.length >= limit) break;'],
    [
      'one list for both modes',
      '= { test: new Map(), live: new Map() };',
      '= ((all) => ({ test: all, live: all }))(new Map<string, SortedList<Item, Place>>());',
    ],
    ['one list for all partners', 'this.lists[mode].get(partnerId);', '[...this.lists[mode].values()][0];'],
    [
      'a page before a cursor begins at the newest',
      '? list.above(walk.from)',
      '? [...list.above(walk.from)].reverse()',
    ],
    ['a page after a cursor begins at the newest', ': list.below(walk.from)', ': list.below(null)'],
    [
      'what belongs to a partner belongs to both its modes',
      'row.partnerId === scope.partnerId && row.mode === scope.mode',
      'row.partnerId === scope.partnerId',
    ],
  ]),

  ...faultsOf('structures/sorted-list.ts', [
    [
      'a cursor is repeated',
      'if (item !== undefined && this.isBefore(place, item)) yield item;',
      'if (item !== undefined) yield item;',
    ],
    ['what comes late is listed last', 'else this.insert(item);', 'else this.append(last, item);'],
  ]),

  ...faultsOf('store/filters.ts', [
    ['the stored status counts', 'sessionStatusAt(session, now)', 'session.status'],
    ['the flow of sessions is not looked at', '    is(filter.flow, session.terms.flow) &&\n', ''],
    ['the currency is not looked at', '    is(filter.currency, session.terms.currency) &&\n', ''],
    ['the user reference of sessions is not looked at', '    is(filter.userReference, session.userReference) &&\n', ''],
    ['the session of a transaction is not looked at', '    is(filter.sessionId, transaction.sessionId) &&\n', ''],
    ['the status of a delivery is not looked at', '    is(filter.status, delivery.status) &&\n', ''],
    ['the event of a delivery is not looked at', '    is(filter.eventId, delivery.eventId) &&\n', ''],
    ['the event type is not looked at', '    is(filter.eventType, delivery.eventType) &&\n', ''],
    ['the lower bound is exclusive', 'instant < range.createdAfter', 'instant <= range.createdAfter'],
    ['the upper bound is inclusive', 'instant < range.createdBefore;', 'instant <= range.createdBefore;'],
    ['the group of documents is not looked at', 'is(filter.group, document.group) && ', ''],
  ]),

  ...faultsOf('store/next-due.ts', [
    [
      'tasks are left out',
      "const task = kinds === undefined || kinds.includes('tasks') ? tasks.soonest(mode) : null;",
      'const task = null as ReturnType<typeof tasks.soonest>;',
    ],
    ['tasks are in whatever is asked', "kinds === undefined || kinds.includes('tasks') ?", 'true ?'],
    ['the later of two is answered', 'isSooner(delivery, task)', 'isSooner(task, delivery)'],
  ]),

  ...faultsOf('store/reap-rows.ts', [
    ['one more than the limit is reaped', 'looks < request.limit', 'looks <= request.limit'],
    ['all is reaped whatever the limit', 'looks < request.limit', 'looks < 1_000_000'],
    ['what has just ended is reaped', 'deliveries.reapOne(mode, now - keepEnded)', 'deliveries.reapOne(mode, now)'],
    [
      'tasks that have just ended are reaped',
      'tasks.reapOne(mode, now - keepEnded) : delivery',
      'tasks.reapOne(mode, now) : delivery',
    ],
    ['tasks are left for ever', "delivery === 'none' ? tasks.reapOne(mode, now - keepEnded) : delivery", 'delivery'],
    ['what went is not counted', "if (found === 'deleted') deleted += 1;", ''],
  ]),

  ...faultsOf('store/partner-table.ts', [
    ['a revocation is undone', 'this.keys.get(key.hash)?.revokedAt ?? key.revokedAt', 'key.revokedAt'],
    [
      'a revocation is never seen',
      'this.keys.set(key.hash, { ...key, revokedAt });',
      'if (!this.keys.has(key.hash)) this.keys.set(key.hash, { ...key, revokedAt });',
    ],
    [
      'the first use is kept',
      'Math.max(at, this.lastUses.get(hash) ?? at)',
      'Math.min(at, this.lastUses.get(hash) ?? at)',
    ],
    ['the use of an unknown key is kept', 'if (this.keys.has(hash)) this.lastUses', 'this.lastUses'],
    [
      'one endpoint for both modes',
      'this.endpoints[endpoint.mode].set(endpoint.partnerId, endpoint);',
      'this.endpoints.test.set(endpoint.partnerId, endpoint);\n    this.endpoints.live.set(endpoint.partnerId, endpoint);',
    ],
    ['all keys are listed for every partner', '.filter((key) => key.partnerId === partnerId)', ''],
    ['keys are listed newest first', 'one.createdAt - other.createdAt', 'other.createdAt - one.createdAt'],
    [
      'a partner stays as it was first',
      'this.partners.set(partner.id, withSuspension(',
      'if (!this.partners.has(partner.id)) this.partners.set(partner.id, withSuspension(',
    ],
    [
      'a partner that is saved is reinstated',
      'this.partners.get(partner.id)?.suspendedAt ?? null',
      'partner.suspendedAt ?? null',
    ],
    [
      'a reinstated partner stays suspended',
      'withSuspension(known, suspendedAt)',
      'withSuspension(known, suspendedAt ?? 1)',
    ],
    ['an unknown partner is suspended', 'if (known !== undefined) this.partners', 'this.partners'],
  ]),

  ...faultsOf('store/consumer-table.ts', [
    ['a removed consumer stays', 'isRemoved: true }', 'isRemoved: false }'],
    ['a removed consumer never comes back', 'known?.isRemoved !== false', 'known === undefined'],
    ['every registration is a new version', 'if (known?.isRemoved !== false) ', ''],
    ['the version stays', 'version: this.registry.version + 1', 'version: this.registry.version'],
    ['a name has one type', 'one.name !== name || one.type !== type', 'one.name !== name'],
    [
      'a removed consumer is forgotten',
      'this.change(this.registry.consumers.map((one) => (one.name === name ? { ...one, isRemoved: true } : one)))',
      'this.change(this.registry.consumers.filter((one) => one.name !== name))',
    ],
  ]),

  ...faultsOf('store/memory-store.ts', [
    ['a setting is set whatever was expected', 'if (present !== null && present !== expected) return present;', ''],
    ['a vanished setting is set again', 'if (present === null && expected !== null)\n', 'if (false)\n'],
    [
      'a swap answers with what was before',
      'values.set(name, value);\n      return value;',
      'values.set(name, value);\n      return present ?? value;',
    ],
    ['a swap is answered and not done', 'values.set(name, value);\n      return value;', 'return value;'],
  ]),

  ...faultsOf('store/document-table.ts', [
    ['documents of all nouns are one', '`${partnerId}/${mode}/${noun}`', '`${partnerId}/${mode}`'],
    ['the reminder of a document is used up at its last instant', 'take(now - 1)', 'take(now)'],
    [
      'a document that was kept longer since is reaped',
      "if (row === null || row.keepUntil === null || row.keepUntil >= now) return 'kept';",
      "if (row === null) return 'kept';",
    ],
    ['documents are never reaped', 'this.kept[row.mode].keep(row, row.keepUntil);', 'void this.kept;'],
  ]),
];
