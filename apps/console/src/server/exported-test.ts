import type { EventType } from '@gateramp/core/domain';
import * as z from 'zod';

export const EXPORTED_TEST = z
  .object({ object: z.literal('exported_test'), file_name: z.string(), text: z.string() })
  .meta({ id: 'ExportedTest', description: 'A file for any test runner; it needs the package @gateramp/testing.' });

/** An event of a session, as `/v1/events` lists it. */
export interface PastEvent {
  readonly type: string;
  /** Seconds. */
  readonly created_at: number;
  readonly sequence: number | null;
  readonly data: Json;
}

type Json = Readonly<Record<string, unknown>>;

/** What a test does to bring about the next events. */
interface Action {
  /** Empty: it happens by itself when time passes. Null: a test gate cannot bring it about. */
  readonly lines: readonly string[] | null;
  readonly explains: number;
}

/**
 * A test that repeats the history of a session on `createTestGate`: its terms, the outcome of each attempt, what came later, and the time
 * between. It passes as it is, to be continued with assertions about the integrator's own code. Nothing of the buyer is in it: wallet
 * address, reference and metadata are left out.
 */
export function exportedTest(sessionId: string, events: readonly PastEvent[]): string {
  const inOrder = events.toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0));
  const [created] = inOrder;
  if (created === undefined) throw new Error('Every session has the event of its creation.');
  const status = inOrder.findLast(({ data }) => data['object'] === 'gate_session')?.data['status'];
  const { lines, repeated } = storyOf(inOrder);
  const uses = (name: string): boolean => lines.some((line) => line.includes(`${name}(`));
  const body = [
    `const t = await createTestGate({ startAt: Date.parse(${quoted(isoTime(created))}) });`,
    ...creation(inOrder),
    ...(uses('post') || uses('simulate') ? POST : []),
    ...(uses('simulate') ? SIMULATE : []),
    ...(uses('refund') ? REFUND : []),
    ...lines,
    '',
    'await t.gate.runDue();',
    'assert.deepEqual(',
    '  t.deliveries().map(({ type }) => type),',
    `  [${repeated.map(({ type }) => quoted(type)).join(', ')}],`,
    ');',
    `assert.equal((await t.retrieveSession(session.id)).status, ${quoted(status)});`,
  ];
  return [
    `// The history of session ${sessionId}, exported by the console.`,
    `import assert from 'node:assert/strict';`,
    `import { test } from 'node:test';`,
    `import { createTestGate } from '@gateramp/testing';`,
    '',
    `test('a session that ends as ${String(status)}', async () => {`,
    ...body.map((line) => (line === '' ? '' : `  ${line}`)),
    '});',
    '',
  ].join('\n');
}

/** The terms of a session, apart from what identifies a buyer or belongs to the partner's site. */
const TERMS = ['amount', 'currency', 'flow', 'target_token', 'target_network'] as const;

function creation(events: readonly PastEvent[]): readonly string[] {
  const session = events[0]?.data ?? {};
  const terms = TERMS.filter((name) => (session[name] ?? null) !== null);
  const hasPackage = events.some((event) => isOf(event, 'gate_session.kyc_package_accepted'));
  return [
    'const session = await t.createSession({',
    ...terms.map((name) => `  ${name}: ${quoted(session[name])},`),
    ...(hasPackage ? [`  kyc_package: { provider: 'test' },`] : []),
    '});',
  ];
}

const POST = [
  'let calls = 0;',
  'const post = async (path, body) => {',
  '  calls += 1;',
  '  const sent = { key: t.keys.secret.test, body, idempotencyKey: `call-${calls}` };',
  `  const { status, text } = await t.request('POST', path, sent);`,
  '  assert.ok(status < 300, text);',
  '};',
];

const SIMULATE = [
  '/** What the buyer, the provider or the bank does. */',
  'const simulate = (body) => post(`/v1/test_helpers/gate_sessions/${session.id}/simulate`, body);',
];

const REFUND = [
  'let refunds = 0;',
  'const refund = async (amount) => {',
  '  const paid = await t.request(`GET`, `/v1/transactions?session_id=${session.id}`, { key: t.keys.secret.test });',
  '  const scope = { partnerId: t.partner.id, mode: `test` };',
  '  const key = { idempotencyKey: `refund-${(refunds += 1)}` };',
  '  await t.gate.admin.refundTransaction(scope, paid.json.data[0].refid, { amount }, key);',
  '};',
];

function storyOf(events: readonly PastEvent[]): { lines: readonly string[]; repeated: readonly PastEvent[] } {
  const lines: string[] = [];
  const repeated: PastEvent[] = events.slice(0, 1);
  let at = events[0]?.created_at ?? 0;
  let transaction: Json = {};
  for (let index = 1; index < events.length;) {
    const [before, event, next] = events.slice(index - 1, index + 2);
    const action =
      event === undefined
        ? NOT_REPEATED
        : (ACTIONS[event.type]?.({ event, next, before, transaction }) ?? NOT_REPEATED);
    const explained = events.slice(index, index + action.explains);
    // What happens by itself may be due within the second that an event names.
    const pause = (explained[0]?.created_at ?? at) - at + (action === BY_TIME || action === EXPIRES ? 1 : 0);
    if (pause > 0) lines.push('', `await t.clock.advance('${pause}s');`);
    if (action.lines === null) lines.push(...explained.map(({ type }) => `// Not repeated here: ${type}.`));
    else {
      lines.push(...action.lines);
      repeated.push(...explained);
    }
    at = Math.max(at + pause, explained.at(-1)?.created_at ?? at);
    transaction = explained.findLast(({ data }) => data['object'] === 'transaction')?.data ?? transaction;
    index += explained.length;
  }
  return { lines, repeated };
}

const BY_TIME: Action = { lines: [], explains: 1 };
/** The next read of an overdue session ends it. */
const EXPIRES: Action = { lines: ['await t.retrieveSession(session.id);'], explains: 1 };
const NOT_REPEATED: Action = { lines: null, explains: 1 };

/** An event, and what was so before it. */
interface Moment {
  readonly event: PastEvent;
  readonly next: PastEvent | undefined;
  readonly before: PastEvent | undefined;
  readonly transaction: Json;
}

/** Other events cannot be repeated. */
const ACTIONS: Readonly<Record<string, (moment: Moment) => Action>> = {
  'gate_session.kyc_package_accepted': () => BY_TIME,
  'gate_session.expired': () => EXPIRES,
  'gate_session.processing': processing,
  'gate_session.completed': () => simulates('succeed', 1),
  'gate_session.failed': ({ event, before }) => {
    if (isOf(before, 'gate_session.processing')) return simulates('settlement_error', 1);
    return LAPSES.has(failureOf(event)) ? BY_TIME : simulates('decline', 1);
  },
  'gate_session.cancelled': ({ next }) =>
    next?.data['settled_after_close'] === true
      ? simulates('late_settlement', 2)
      : { lines: ['await post(`/v1/gate_sessions/${session.id}/cancel`);'], explains: 1 },
  'kyc.required': ({ next }) =>
    failureOf(next) === 'kyc_rejected' ? simulates('kyc_rejected', 2) : simulates('kyc_required', 1),
  'transaction.updated': ({ event, transaction }) => afterSettlement(event.data, transaction),
} satisfies Partial<Record<EventType, (moment: Moment) => Action>>;

/** While money moves, time passes differently: the session does not expire. */
function processing({ event, next }: Moment): Action {
  const isAtOnce = event.created_at === next?.created_at;
  if (isAtOnce && isOf(next, 'gate_session.completed')) return simulates('succeed', 2);
  return isAtOnce && isOf(next, 'gate_session.failed') ? simulates('settlement_error', 2) : simulates('processing', 1);
}

function isOf(event: PastEvent | undefined, type: EventType): boolean {
  return event?.type === type;
}

/** Attempts of which the buyer did not do the next step in time. */
const LAPSES: ReadonlySet<unknown> = new Set(['kyc_abandoned']);

function failureOf(event: PastEvent | undefined): unknown {
  const failure = event?.data['failure'];
  return typeof failure === 'object' && failure !== null && 'code' in failure ? failure.code : null;
}

/** What has happened to a transaction that had settled. */
function afterSettlement(now: Json, before: Json): Action {
  const [refund] = added(now, before, 'refunds');
  if (refund !== undefined) return { lines: [`await refund(${quoted(refund['amount'])});`], explains: 1 };
  const [dispute] = added(now, before, 'disputes');
  if (dispute !== undefined) return simulates('charged_back', 1, { amount: dispute['amount'] });
  const grew = (name: string, counts: (row: Json) => boolean): boolean =>
    rows(now, name).filter(counts).length > rows(before, name).filter(counts).length;
  if (grew('disputes', ({ status }) => status === 'won')) return simulates('dispute_won', 1);
  if (grew('refunds', ({ returned_at: at = null }) => at !== null)) return simulates('refund_returned', 1);
  return NOT_REPEATED;
}

function added(now: Json, before: Json, name: string): readonly Json[] {
  return rows(now, name).slice(rows(before, name).length);
}

function rows(transaction: Json, name: string): readonly Json[] {
  const value = transaction[name];
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function simulates(scenario: string, explains: number, more: Json = {}): Action {
  const members = Object.entries({ scenario, ...more }).map(([name, value]) => `${name}: ${quoted(value)}`);
  return { lines: [`await simulate({ ${members.join(', ')} });`], explains };
}

/** A string literal, with quotes, backslashes and line breaks escaped. */
function quoted(value: unknown): string {
  return `'${JSON.stringify(String(value))
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

function isoTime({ created_at: seconds }: PastEvent): string {
  return new Date(seconds * 1_000).toISOString();
}
