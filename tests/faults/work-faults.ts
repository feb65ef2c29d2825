import { faultsOf, type Fault } from './planted.js';

/** Core decides when a delivery ended, and is asked in two places: the fault replaces both. */
const END = 'import {\n  deliveryEndpoint,\n  endedAt,';

function endOf(end: string): string {
  return `import { endedAt as trueEnd } from '@gateramp/core/domain';
const endedAt = (row: Delivery): Instant | null => ${end};
import {
  deliveryEndpoint,`;
}

/** Mistakes with due work: its order, its leases, its end. */
export const workFaults: readonly Fault[] = [
  ...faultsOf('work/take-fairly.ts', [
    ['the limit is not kept', 'taken.length >= limits.limit', 'false'],
    ['the limit is one too many', 'taken.length >= limits.limit', 'taken.length > limits.limit'],
    ['the share is not kept', 'room: perEndpoint - queue.liveLeases(source.now)', 'room: perEndpoint'],
    ['the share is the limit of all together', 'room: perEndpoint - queue.liveLeases(source.now)', 'room: 1'],
    [
      'an endpoint is emptied before the next has its turn',
      '    takeOne(turn, taken);\n',
      '    while (!isFull() && takeOne(turn, taken));\n',
    ],
    [
      'no endpoint has a second turn',
      'while (!isFull() && open.length > 0) open = open.filter((turn) => !isFull() && takeOne(turn, taken));',
      '',
    ],
    ['what was looked at is lost', 'for (const turn of turns) turn.source.queue.putBack(turn.queue);', ''],
    ['work comes back as it was taken', 'return taken.sort(byLateness);', 'return taken;'],
    ['work comes back newest first', 'return taken.sort(byLateness);', 'return taken.sort(byLateness).reverse();'],
    [
      'both modes run on one clock',
      'if (head === null || source.now - head.due <= most) continue;',
      'if (head === null || (found !== null && source.queue !== found.queue)) continue;',
    ],
    [
      'the endpoint that is least late has the first turn',
      'source.now - head.due <= most) continue;',
      'found !== null && source.now - head.due >= most) continue;',
    ],
    ['a turn costs no room', 'turn.room -= 1;', ''],
  ]),

  ...faultsOf('work/due-queue.ts', [
    ['newest due first', 'a.due < b.due;', 'a.due > b.due;'],
    ['by id, whatever is due', 'return a.due === b.due ? a.id < b.id : a.due < b.due;', 'return a.id < b.id;'],
    [
      'a lease never lapses',
      'next !== null && next.due <= now; next = this.leased.peek()',
      'false; next = this.leased.peek()',
    ],
    ['work is taken before it is due', 'return next === null || next.due > now ? null', 'return next === null ? null'],
    ['work is due a millisecond late', 'next.due > now ? null', 'next.due >= now ? null'],
    ['a lease holds at its last instant', 'next !== null && next.due <= now;', 'next !== null && next.due < now;'],
    ['leases are not seen among what is next', 'return waiting ?? leased;', 'return waiting;'],
    [
      'the later of two heads is next',
      'return isSooner(leased, waiting) ? leased : waiting;',
      'return isSooner(leased, waiting) ? waiting : leased;',
    ],
  ]),

  ...faultsOf('work/work-table.ts', [
    ['work is found in the other mode', '  return row.mode === mode && row', '  return row'],
    ['any token ends a lease', '.row.leaseToken === token', '.row.leaseToken !== undefined'],
    ['one is claimed in the other mode', 'cell === undefined || cell.row.mode !== mode', 'cell === undefined'],
    ['one is claimed under a live lease', 'freeAt === null || isLeased(cell.row, lease.now)', 'freeAt === null'],
    ['one is claimed before it is due', 'freeAt <= lease.now || lease.early ?', 'true ?'],
    ['early claims nothing', 'freeAt <= lease.now || lease.early ?', 'freeAt <= lease.now ?'],
    ['one is claimed a millisecond late', 'freeAt <= lease.now ||', 'freeAt < lease.now ||'],
    ['a lease has no end', 'leaseOf(row, lease)', 'leaseOf(row, { ...lease, leaseMs: lease.leaseMs * 1_000 })'],
    ['a lease ends when it begins', 'leaseOf(row, lease)', 'leaseOf(row, { ...lease, leaseMs: 0 })'],
    ['claims are not counted', 'leaseOf(row, lease)', 'leaseOf(row, lease), claims: row.claims'],
    ['claims are counted again', 'leaseOf(row, lease)', 'leaseOf(row, lease), claims: 1'],
    [
      'the token of the first claim stays',
      'leaseOf(row, lease)',
      'leaseOf(row, lease), leaseToken: row.leaseToken ?? lease.token',
    ],
    [
      'a lapsed early lease waits until it is due',
      'const freeAt = this.traits.freeAt(row);\n    if (freeAt === null) return;',
      'const free = this.traits.freeAt(row);\n    if (free === null) return;\n    const freeAt = Math.max(free, (row as { dueAt?: number | null }).dueAt ?? free);',
    ],
    [
      'a lease is due as its work is, and so has lapsed at once',
      '    cell.due = freeAt;\n',
      '    cell.due = this.traits.dueAt(row) ?? freeAt;\n',
    ],
    ['one lane for all', 'this.lanes[row.mode], this.traits.lane(row));', "this.lanes[row.mode], 'first');"],
    ['sandboxes go by the time of the mode', 'now: sandboxes?.get(partnerId) ?? times.test', 'now: times.test'],
    [
      'kinds of work are not kept apart',
      'return lanes === undefined ? lane !== PAUSED_LANE : lanes.includes(lane);',
      'return lane !== PAUSED_LANE;',
    ],
    ['the later of two lanes is next', 'isSooner(head, found))', 'isSooner(found, head))'],
  ]),

  ...faultsOf('store/delivery-table.ts', [
    [
      "another partner's delivery is found",
      'record !== null && belongsTo(record.delivery, scope) ? record : null',
      'record',
    ],
    ['attempts are lost', 'if (attempt !== null) entry.attempts = [...entry.attempts, attempt];', ''],
    ['attempts are listed newest first', '[...entry.attempts, attempt]', '[attempt, ...entry.attempts]'],
    ['only the last attempt is kept', '[...entry.attempts, attempt]', '[attempt]'],
    ['a record is answered and not done', 'this.put(next);\n    if (attempt', 'if (attempt'],
    ['a lost lease records', '!this.work.isHeldBy(next.id, leaseToken)', 'false'],
    [
      'what is parked is claimed',
      'new WorkTable<Delivery>({ freeAt,',
      'new WorkTable<Delivery>({ freeAt: (row) => freeAt({ ...row, parkedAt: null }),',
    ],
    [
      'what was delivered is claimed',
      'new WorkTable<Delivery>({ freeAt,',
      'new WorkTable<Delivery>({ freeAt: (row) => freeAt(row) ?? (row.parkedAt === null ? row.createdAt : null),',
    ],
    [
      'dead letters are never reaped',
      'if (end !== null) this.ended',
      "if (end !== null && row.status !== 'dead_lettered') this.ended",
    ],
    [
      'what was delivered is never reaped',
      'if (end !== null) this.ended',
      "if (end !== null && row.status !== 'delivered') this.ended",
    ],
    ['a delivery is reaped by when it was made', END, endOf('trueEnd(row) === null ? null : row.createdAt')],
    ['parked deliveries are reaped', END, endOf('trueEnd(row) ?? row.parkedAt')],
    [
      'the reminder of a delivery is used up a millisecond early',
      'const id = this.ended[mode].take(endedBy);',
      'const id = this.ended[mode].take(endedBy + 1);',
    ],
    ['one endpoint for all partners', 'endpoint: deliveryEndpoint', "endpoint: () => 'all'"],
    [
      'deliveries of both modes are reaped',
      'const id = this.ended[mode].take(endedBy);',
      'const id = this.ended[mode].take(endedBy) ?? this.ended.test.take(endedBy);',
    ],
  ]),

  ...faultsOf('store/task-table.ts', [
    [
      'what is done is claimed',
      'new WorkTable<Task>({ freeAt,',
      "new WorkTable<Task>({ freeAt: (row) => freeAt({ ...row, status: 'pending' }),",
    ],
    [
      'what is parked is claimed',
      'new WorkTable<Task>({ freeAt,',
      "new WorkTable<Task>({ freeAt: (row) => freeAt({ ...row, status: row.status === 'done' ? 'done' : 'pending' }),",
    ],
    ['parked tasks are reaped', "if (row.status === 'done')", "if (row.status !== 'pending')"],
    [
      'tasks are reaped by when they were made',
      'this.done[row.mode].keep(row.id, now)',
      'this.done[row.mode].keep(row.id, row.createdAt)',
    ],
    [
      'tasks are reaped by when they were due',
      'this.done[row.mode].keep(row.id, now)',
      'this.done[row.mode].keep(row.id, row.dueAt)',
    ],
    ['tasks are never reaped', "if (row.status === 'done') this.done[row.mode].keep(row.id, now);", ''],
    [
      'any token finishes a task',
      'return this.work.isHeldBy(row.id, leaseToken);',
      'return this.work.has(row.id) && leaseToken !== null;',
    ],
    ['tasks have one place', 'perEndpoint: Infinity', 'perEndpoint: 1'],
  ]),
];
