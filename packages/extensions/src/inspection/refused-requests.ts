import {
  DAY,
  type Instant,
  isRecord,
  MINUTE,
  PAGE_LIMIT_MAX,
  type PageRequest,
  type PageStart,
  type Refusal,
  type Scope,
} from '@gateramp/core/domain';
import {
  apply,
  documentWrite,
  type DocumentKind,
  type DocumentRow,
  type Engine,
  findKeptRow,
  later,
  type Listener,
  listRows,
  requestIdProblems,
  type RequestInfo,
  scopeProblems,
  shapeOf,
  throwIfAny,
} from '@gateramp/core/extension';
import { emptyChange } from '@gateramp/core/ports';

/** A request of a partner that was answered with an error, without what it sent: bodies may contain secrets and personal data. */
export interface RefusedRequest extends DocumentRow {
  readonly requestId: string;
  readonly method: string;
  /** The template of its path. */
  readonly route: string;
  /** The session, transaction or other object that it was about; null if it named none. */
  readonly objectId: string | null;
  readonly status: number;
  readonly code: string;
  /** The invalid fields of the body or query, apart from unknown ones. */
  readonly fields: readonly string[];
  /** What is wrong with each of these fields, or with a 400 that concerns none. Absent in rows of earlier versions. */
  readonly messages?: readonly string[];
}

/** Answers that say nothing about the request, and of which there may be very many. */
const NOT_KEPT: ReadonlySet<number> = new Set([401, 429, 503]);

const REFUSED_REQUESTS_KEPT = 7 * DAY;

/** Per partner and mode in a process and minute. A partner that fails in a loop learns nothing from more, and each costs a write. */
const REFUSED_PER_MINUTE = 60;

/** How long a process collects them before it writes them together. */
const COLLECTED_FOR = 1_000;

const KIND: DocumentKind<RefusedRequest> = {
  noun: 'refused_request',
  groupOf: ({ objectId }) => objectId,
  keepUntilOf: ({ createdAt }) => createdAt + REFUSED_REQUESTS_KEPT,
};

/** The entry by which a request's id, which is random, leads to its row. */
interface RequestName extends DocumentRow {
  readonly rowId: string;
}

const NAME_KIND: DocumentKind<RequestName> = {
  noun: 'refused_request_name',
  keepUntilOf: ({ createdAt }) => createdAt + REFUSED_REQUESTS_KEPT,
};

/**
 * Keeps the refused requests of partners for seven days, to find the cause of a failed integration. No request waits for the write or fails
 * because of it; what a crash or an outage loses is not made up for.
 */
export class RefusedRequests implements Listener {
  private readonly collected = new Map<string, { readonly scope: Scope; readonly rows: RefusedRequest[] }>();
  /** The number of rows of each scope in the minute that began at `countedSince`. */
  private readonly counts = new Map<string, number>();
  private countedSince: Instant | null = null;
  private isScheduled = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly engine: Engine) {}

  refused(request: RequestInfo, refusal: Refusal, status: number): void {
    const { partner, endpoint, mode } = request;
    if (partner === null || endpoint === null || NOT_KEPT.has(status)) return;
    const scope = { partnerId: partner.id, mode };
    const { method, path: route } = endpoint;
    const { requestId, objectId } = request;
    const problems = problemsOf(refusal);
    const fields = [...problems.keys()];
    const messages = refusal.fields === undefined && status === 400 ? [refusal.message] : [...problems.values()];
    this.collect(scope, { requestId, method, route, objectId, status, code: refusal.code, fields, messages });
  }

  private collect(scope: Scope, fields: Omit<RefusedRequest, keyof DocumentRow>): void {
    const { engine, collected } = this;
    const key = `${scope.mode}:${scope.partnerId}`;
    if (!this.mayKeep(key)) return;
    const now = engine.clock.now(scope);
    const waiting = collected.get(key) ?? { scope, rows: [] };
    waiting.rows.push({ ...scope, ...fields, id: engine.ids.object(now), version: 1, createdAt: now });
    collected.set(key, waiting);
    if (this.isScheduled) return;
    this.isScheduled = true;
    later(() => void this.flush(), COLLECTED_FOR);
  }

  private mayKeep(key: string): boolean {
    const now = this.engine.clock.wall();
    if (this.countedSince === null || Math.abs(now - this.countedSince) >= MINUTE) {
      this.counts.clear();
      this.countedSince = now;
    }
    const count = this.counts.get(key) ?? 0;
    if (count >= REFUSED_PER_MINUTE) return false;
    this.counts.set(key, count + 1);
    return true;
  }

  /** Writes what was collected; resolves once that and all before it is written. */
  flush(): Promise<void> {
    this.isScheduled = false;
    this.writing = this.writing.then(() => this.writeAll());
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    const all = [...this.collected.values()];
    this.collected.clear();
    for (const { scope, rows } of all) {
      try {
        await writeRows(this.engine, scope, rows);
      } catch (error) {
        this.engine.telemetry.failure(error, { place: 'refused requests', partner_id: scope.partnerId });
      }
    }
  }
}

async function writeRows(engine: Engine, scope: Scope, rows: readonly RefusedRequest[]): Promise<void> {
  const documents = rows.flatMap((row) => [
    documentWrite(KIND, row, null),
    documentWrite(
      NAME_KIND,
      { ...scope, id: row.requestId, version: 1, createdAt: row.createdAt, rowId: row.id },
      null,
    ),
  ]);
  await apply(engine, {
    load: async () => engine.clock.now(scope),
    decide: (now) => ({ change: { ...emptyChange(scope, now), documents }, value: null }),
  });
}

/** The requests of partners that were answered with an error in the last seven days, if the extension keeps them. */
export interface RefusedRequestList {
  /** Newest first, at most 100; `before` is the id of the last one of the previous page. */
  list(
    scope: Scope,
    page?: {
      /** Only requests about this session, transaction or other object. */
      readonly objectId?: string;
      readonly before?: string;
      readonly limit?: number;
    },
  ): Promise<readonly RefusedRequest[]>;
  /** By the request's id, which `X-Request-Id` named; null if it was not refused or is no longer kept. */
  find(scope: Scope, requestId: string): Promise<RefusedRequest | null>;
}

export function refusedRequestList(engine: Engine, refused: RefusedRequests): RefusedRequestList {
  return {
    list: async (scope, page = {}) => {
      throwIfAny('refusedRequests.list received invalid arguments', scopeProblems(scope), requestPageProblems(page));
      await refused.flush();
      const { objectId = null, before, limit = PAGE_LIMIT_MAX } = page;
      const start: PageStart = before === undefined ? { kind: 'newest' } : { kind: 'after', id: before };
      const rows = await listRefusedRequests(engine, scope, objectId, {
        start,
        limit: Math.min(limit, PAGE_LIMIT_MAX),
      });
      return rows.slice(0, limit);
    },
    find: async (scope, requestId) => {
      throwIfAny('refusedRequests.find received invalid arguments', scopeProblems(scope), requestIdProblems(requestId));
      await refused.flush();
      return findRefusedRequest(engine, scope, requestId);
    },
  };
}

function requestPageProblems(page: unknown): readonly string[] {
  if (!isRecord(page)) return [`The page must be { objectId, before, limit }, not ${shapeOf(page)}.`];
  const { objectId, before, limit } = page;
  const texts = Object.entries({ objectId, before }).filter(([, value]) => value !== undefined);
  return [
    ...texts.flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [] : [`${name} must be an id; it is ${shapeOf(value)}.`],
    ),
    ...(limit === undefined || (Number.isSafeInteger(limit) && Number(limit) >= 1)
      ? []
      : [`limit must be a whole number of at least 1; it is ${shapeOf(limit)}.`]),
  ];
}

/** Up to `limit + 1`, in the order of the page: all of the scope, or those about one object. */
async function listRefusedRequests(
  { store, clock }: Engine,
  scope: Scope,
  objectId: string | null,
  page: PageRequest,
): Promise<readonly RefusedRequest[]> {
  const rows = await listRows(store, KIND, scope, page, { group: objectId });
  const now = clock.now(scope);
  return rows.filter(({ createdAt }) => now <= createdAt + REFUSED_REQUESTS_KEPT);
}

async function findRefusedRequest(
  { store, clock }: Engine,
  scope: Scope,
  requestId: string,
): Promise<RefusedRequest | null> {
  const now = clock.now(scope);
  const name = await findKeptRow(store, NAME_KIND, scope, requestId, now);
  return name === null ? null : findKeptRow(store, KIND, scope, name.rowId, now);
}

/**
 * The messages by their fields. Names of unknown and of nested fields may come from the client, and a key or token may have been pasted
 * into one, so they are left out.
 */
function problemsOf({ fields = [] }: Refusal): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const { field, code, message } of fields) {
    const name = field.replace(/\..*/, '');
    if (code === 'unknown_field' || problems.has(name)) continue;
    problems.set(name, message.startsWith(field) ? `${name}${message.slice(field.length)}` : `${name} is not valid`);
  }
  return problems;
}
