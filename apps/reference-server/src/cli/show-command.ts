import { type Intent, MODES, type PageRequest, scopeOf, type Session, type Transaction } from '@gateramp/core/domain';
import type { DeliveryRecord, Store } from '@gateramp/core/ports';
import { findOperation, findTransfers, type LegsStore, type OperationView } from '@gateramp/provider-legs';
import type { Command } from 'commander';
import { type CommandContext, withDatabase } from './administration.js';
import { printEntries } from './audit-commands.js';
import { CommandError } from './command-error.js';
import { summaryOf } from './leg-commands.js';
import { moment, print, printResult, printNote, printTable } from './print.js';

/** The maximum number of rows shown per kind. */
const SHOWN_MAX = 100;
const FIRST_PAGE: PageRequest = { start: { kind: 'newest' }, limit: SHOWN_MAX };

export function addShowCommand(gate: Command): void {
  gate
    .command('show <id>')
    .description(
      'Show everything about a session, intent, transaction, event, delivery, operation or pool trade by its id, about a transaction hash on chain, or about a request (req_…). Changes nothing',
    )
    .action(async (id: string) => {
      if (id.startsWith('req_')) return showRequest(id);
      const found = await withDatabase((context) => historyOf(context, id));
      if (found === null)
        throw new CommandError(
          `There is no session, intent, transaction, event, delivery, operation or pool trade ${id}.`,
        );
      if (found.sameHash.length > 0)
        printNote(`Other objects have this hash too. Run: gate show ${found.sameHash.join(', gate show ')}`);
      printResult(found);
      printHistory(found);
    });
}

/** Rows do not record the request that changed them; the audit trail does, of requests that administer. Refused ones are kept. */
async function showRequest(id: string): Promise<void> {
  const { entries, refused } = await withDatabase(async (context) => ({
    entries: await context.admin.audit.list({ requestId: id }),
    refused: await refusedRequest(context, id),
  }));
  if (refused !== null) return printRefused(refused);
  if (entries.length === 0)
    throw new CommandError(
      `The request ${id} was not refused in the last seven days and changed nothing that the audit trail records. Payments do not record their requests.`,
    );
  printEntries(entries);
}

async function refusedRequest({ admin, operator }: CommandContext, id: string): Promise<RefusedRequest | null> {
  for (const { id: partnerId } of await operator.partners()) {
    for (const mode of MODES) {
      const found = await admin.refusedRequests.find({ partnerId, mode }, id);
      if (found !== null) return found;
    }
  }
  return null;
}

function printRefused(request: RefusedRequest): void {
  const {
    requestId,
    partnerId,
    mode,
    createdAt,
    method,
    route,
    objectId,
    status,
    code,
    fields,
    messages = [],
  } = request;
  const shown = {
    request: requestId,
    partner: partnerId,
    mode,
    at: moment(createdAt),
    method,
    route,
    object: objectId,
    status,
    code,
    fields,
    messages,
  };
  printResult(shown);
  const lines = { ...shown, fields: fields.join(', '), messages: messages.join('; '), object: objectId ?? '' };
  for (const [name, value] of Object.entries(lines)) if (value !== '') print(`${name.padEnd(8)} ${value}`);
}

type RefusedRequest = NonNullable<Awaited<ReturnType<CommandContext['admin']['refusedRequests']['find']>>>;

/** The names of this server's providers, which identify operations together with their ids. */
const PROVIDERS = ['sandbox', 'legs'] as const;

type Found = NonNullable<Awaited<ReturnType<CommandContext['admin']['find']>>>;

type History = Awaited<ReturnType<typeof historyOf>> & object;

async function historyOf({ admin, store, legsStore }: CommandContext, id: string) {
  const legs = { name: 'legs', findTransfers: (hash: string) => findTransfers(legsStore, hash) };
  const [ofHash, ...others] = await admin.findByTxHash(id, { providers: [legs] });
  const place = ofHash ?? (await admin.find(id, { providers: PROVIDERS })) ?? (await placeOfOperation(legsStore, id));
  const partner = place === null ? null : await admin.findPartner(place.scope.partnerId);
  if (place === null || partner === null) return null;
  const { kind, scope, sessionId, eventId, transfer, resource } = place;
  const session = sessionId === null ? null : await store.find('session', scope, sessionId);
  const transactions = await transactionsOf(store, place);
  const intents = await Promise.all(transactions.map((one) => store.find('intent', scope, one.intentId)));
  const operationIds = new Set(intents.flatMap((one) => one?.operationId ?? []));
  if (kind === 'operation') operationIds.add(place.id);
  const operations = await Promise.all([...operationIds].map((one) => findOperation(legsStore, one)));
  const event = eventId === null ? null : await store.find('event', scope, eventId);
  const ownEvents = event === null ? [] : [event];
  const events = sessionId === null ? ownEvents : await store.list('session_event', scope, sessionId);
  const deliveries = await deliveriesOf(store, place);
  return {
    kind,
    id,
    transfer,
    sameHash: others.map((one) => one.id),
    partner: { id: partner.id, name: partner.name },
    mode: scope.mode,
    session: session === null ? null : sessionFields(session),
    intents: intents.flatMap((one) => (one === null ? [] : [intentFields(one)])),
    transactions: transactions.map(transactionFields),
    poolTrades: resource === null ? [] : [resource],
    operations: operations.flatMap((one) => (one === null ? [] : [operationFields(one)])),
    events: events.map((one) => ({
      id: one.id,
      sequence: one.sequence,
      type: one.type,
      createdAt: moment(one.createdAt),
    })),
    deliveries: deliveries.map(deliveryFields),
  };
}

/** An operation that never became an attempt is known to the provider legs alone. */
async function placeOfOperation(legsStore: LegsStore, id: string): Promise<Found | null> {
  const owner = await findOperation(legsStore, id);
  if (owner === null) return null;
  const unknown = { sessionId: null, refid: null, eventId: null, intent: null, transfer: null, resource: null };
  return { kind: 'operation', id, scope: scopeOf(owner), ...unknown };
}

async function transactionsOf(store: Store, { scope, sessionId, refid }: Found): Promise<readonly Transaction[]> {
  if (sessionId !== null) {
    const filter = { status: null, flow: null, userReference: null, createdAfter: null, createdBefore: null };
    return (await store.list('transaction', scope, { ...filter, sessionId }, FIRST_PAGE)).slice(0, SHOWN_MAX);
  }
  const transaction = refid === null ? null : await store.find('transaction', scope, refid);
  return transaction === null ? [] : [transaction];
}

async function deliveriesOf(store: Store, { scope, sessionId, eventId }: Found): Promise<readonly DeliveryRecord[]> {
  if (sessionId === null && eventId === null) return [];
  const filter = { target: null, status: null, eventType: null, createdAfter: null, createdBefore: null };
  const of = sessionId === null ? { sessionId: null, eventId } : { sessionId, eventId: null };
  return (await store.list('delivery', scope, { ...filter, ...of }, FIRST_PAGE)).slice(0, SHOWN_MAX);
}

/** Never the secret of a session. */
function sessionFields(session: Session) {
  const { id, status, terms, userReference, intentId, attempts, heldSince, createdAt, expiresAt } = session;
  return {
    id,
    status,
    flow: terms.flow,
    amount: terms.amount,
    currency: terms.currency,
    userReference,
    intentId,
    attempts,
    heldSince: timeOrNull(heldSince),
    createdAt: moment(createdAt),
    expiresAt: moment(expiresAt),
  };
}

/** Only the type of the next action: the action may contain secrets of the buyer. */
function intentFields(intent: Intent) {
  const { id, status, attempt, provider, operationId, stepTaskId, nextAction, failure, createdAt, updatedAt } = intent;
  return {
    id,
    status,
    attempt,
    provider,
    operationId,
    stepTaskId,
    nextAction: nextAction?.type ?? null,
    failure: failureText(failure),
    createdAt: moment(createdAt),
    updatedAt: moment(updatedAt),
  };
}

/** What the provider legs have recorded; movements of money are shown by `gate operations show`. */
function operationFields(operation: OperationView) {
  const { id, status, step, reason, created_at: createdAt, updated_at: updatedAt } = summaryOf(operation);
  const owed = operation.owed.map(({ amount, currency }) => `${amount} ${currency}`).join(', ');
  return { id, status, step, reason, owed: owed === '' ? null : owed, createdAt, updatedAt };
}

function transactionFields(transaction: Transaction) {
  const { refid, status, intentId, source, destination, txHash, failure, stages, createdAt, completedAt } = transaction;
  return {
    refid,
    status,
    intentId,
    source: sideText(source),
    destination: sideText(destination),
    txHash,
    failure: failureText(failure),
    stages: stages.map(({ type, status: state }) => `${type} ${state}`),
    createdAt: moment(createdAt),
    completedAt: timeOrNull(completedAt),
  };
}

function failureText(failure: Intent['failure']): string | null {
  return failure === null ? null : `${failure.code}: ${failure.message}`;
}

function sideText({ amount, currency, network }: Transaction['source']): string {
  return [amount ?? '?', currency, network ?? ''].join(' ').trimEnd();
}

function deliveryFields({ delivery }: DeliveryRecord) {
  const { id, eventId, eventType, target, status, attemptsTotal, dueAt, parkedAt, lastResponseStatus, lastError } =
    delivery;
  return {
    id,
    eventId,
    eventType,
    target,
    status,
    attempts: attemptsTotal,
    dueAt: timeOrNull(dueAt),
    parkedAt: timeOrNull(parkedAt),
    lastResponseStatus,
    lastError,
  };
}

function timeOrNull(instant: number | null): string | null {
  return instant === null ? null : moment(instant);
}

function printHistory({ kind, id, transfer, partner, mode, session, intents, transactions, ...rest }: History): void {
  const what = transfer === null ? kind : `${kind}, ${transfer.replaceAll('_', ' ')}`;
  print(`${what} ${id} of ${partner.name} (${partner.id}), ${mode} mode`);
  if (session !== null) section('Session', [session]);
  section('Intents', intents);
  section(
    'Transactions',
    transactions.map(({ stages, ...rest }) => ({ ...rest, stages: stages.join(', ') })),
  );
  section('Pool trades', rest.poolTrades);
  section('Operations', rest.operations);
  section('Events', rest.events);
  section('Deliveries', rest.deliveries);
}

/** Prints one column per member. Members that are null in every row are omitted. */
function section(title: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
  const [first] = rows;
  if (first === undefined) return;
  print('');
  print(title);
  const names = Object.keys(first).filter((name) => rows.some((row) => row[name] !== null));
  printTable(
    names.map((name) => name.replace(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase()),
    rows.map((row) =>
      names.map((name) => (typeof row[name] === 'string' || typeof row[name] === 'number' ? String(row[name]) : '-')),
    ),
  );
}
