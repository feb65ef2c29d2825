import type { History, Json, RefusedRequest, Step } from '../wire/types.js';

/** The history of a session, as exported by a console. */
export interface HistoryFile {
  readonly history: History;
  readonly requests: readonly RefusedRequest[];
}

/** The maximum size of a file. */
export const FILE_BYTES_MAX = 5_000_000;

const STEPS_MAX = 1_000;
const DEPTH_MAX = 12;

/** Parses an untrusted file. Null unless it is a valid export. Unknown members are dropped. */
export function readHistoryFile(text: string): HistoryFile | null {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(file) || file['object'] !== 'session_history' || file['version'] !== 1) return null;
  const { session_id: id, steps, requests, complete } = file;
  if (!isText(id) || !isList(steps) || !isList(requests)) return null;
  const [read, refused] = [steps.map(stepOf), requests.map(requestOf)];
  if (read.includes(null) || refused.includes(null)) return null;
  return {
    history: { session_id: id, ...(complete === false && { complete }), steps: read.filter((one) => one !== null) },
    requests: refused.filter((one) => one !== null),
  };
}

function stepOf(value: unknown): Step | null {
  if (!isRecord(value)) return null;
  const {
    sequence,
    at,
    event,
    session,
    transaction,
    transactions = [],
    not_kept: notKept = [],
    intents,
    deliveries,
  } = value;
  if (!Number.isSafeInteger(sequence) || !isTime(at) || !isRecord(event) || !isList(intents) || !isList(deliveries))
    return null;
  const { id, type } = event;
  const of = deliveries.map(deliveryOf);
  if (!isText(id) || !isText(type) || of.includes(null) || !isRecord(session)) return null;
  if (!isList(transactions) || !isList(notKept)) return null;
  const [all, missing] = [transactions.map(transactionOf), notKept.map(notKeptOf)];
  if (all.includes(null) || missing.includes(null)) return null;
  if (!isJson(session) || !isJson(transaction) || !intents.every((one) => isJson(one))) return null;
  return {
    sequence: Number(sequence),
    at,
    event: { id, type },
    session,
    transaction,
    ...(all.length > 0 && { transactions: all.filter((one) => one !== null) }),
    ...(missing.length > 0 && { not_kept: missing.filter((one) => one !== null) }),
    intents,
    deliveries: of.filter((one) => one !== null),
  };
}

function transactionOf(value: unknown): NonNullable<Step['transactions']>[number] | null {
  if (!isRecord(value)) return null;
  const { refid, object } = value;
  return isText(refid) && isJson(object) ? { refid, object } : null;
}

function notKeptOf(value: unknown): NonNullable<Step['not_kept']>[number] | null {
  if (!isRecord(value)) return null;
  const { type, id, refid } = value;
  return isText(type) && isText(id) && isText(refid) ? { type, id, refid } : null;
}

function deliveryOf(value: unknown): Step['deliveries'][number] | null {
  if (!isRecord(value)) return null;
  const { id, status, attempts } = value;
  if (!isText(id) || !isText(status) || !Number.isSafeInteger(attempts)) return null;
  return { id, status, attempts: Number(attempts) };
}

function requestOf(value: unknown): RefusedRequest | null {
  if (!isRecord(value)) return null;
  const { request_id: id, at, method, route, status, code } = value;
  if (!isText(id) || !isTime(at) || !isText(method) || !isText(route) || !isText(code)) return null;
  if (!Number.isSafeInteger(status)) return null;
  return { request_id: id, at, method, route, status: Number(status), code };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length <= STEPS_MAX;

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 200;

const isTime = (value: unknown): value is string => isText(value) && !Number.isNaN(Date.parse(value));

/** Whether the value is JSON within the depth and length that the page can render. */
function isJson(value: unknown, depth = 0): value is Json {
  if (depth > DEPTH_MAX || value === undefined) return false;
  if (Array.isArray(value)) return value.length <= STEPS_MAX && value.every((one) => isJson(one, depth + 1));
  return !isRecord(value) || Object.values(value).every((one) => isJson(one, depth + 1));
}
