import type { Engine, Trace } from '../../application/engine.js';
import { partsWithin, traceFieldsOf, traceIn } from '../../application/tracing.js';
import type { Policy } from '../../domain/policy.js';
import { type Span, type SpanEnd, traceContextOf } from '../../ports/edge.js';
import type { AnyEndpoint } from '../endpoint.js';
import { headerOf, type HttpRequest, type HttpResponse } from '../message.js';
import { Admission, type Slot, type Timing } from './admission.js';

/** Reads, and writes, that may wait for each slot; more are refused immediately with 503. */
const WAITING_PER_SLOT = 4;

/** Bounds the work of this process: requests over the limits are refused immediately instead of waiting. */
export class Traffic {
  /** Slow reads, such as lists, must not delay writes. */
  private readonly reads: Admission;
  private readonly writes: Admission;
  private unanswered = 0;

  constructor(
    private readonly policy: Policy,
    timing: Timing,
  ) {
    const limits = {
      inFlightMax: policy.requestsInFlightMax,
      contendedMin: policy.requestsContendedMin,
      waitingMax: WAITING_PER_SLOT * policy.requestsInFlightMax,
      waitMax: policy.requestWaitMax,
      // A partner whose provider hangs must leave room for others.
      partnerMax: Math.ceil(policy.requestsUnansweredMax / 2),
    };
    this.reads = new Admission(limits, timing);
    this.writes = new Admission(limits, timing);
  }

  /** Counts a request until it is answered. Returns false if there are too many in total. */
  open(): boolean {
    if (this.unanswered >= this.policy.requestsUnansweredMax) return false;
    this.unanswered += 1;
    return true;
  }

  answered(): void {
    this.unanswered -= 1;
  }

  /** A slot for a request of this partner; null if it must be refused. */
  enter({ method }: AnyEndpoint, partnerId: string): Slot | null | Promise<Slot | null> {
    return (method === 'GET' ? this.reads : this.writes).enter(partnerId);
  }
}

/** Health probes are answered under any load, and not traced. */
export function isProbe({ auth, method }: AnyEndpoint): boolean {
  return auth === 'none' && method === 'GET';
}

/** The span of a request, and its trace. */
export interface RequestSpan extends Pick<Span, 'run'> {
  readonly trace: Trace;
  /** Returns the answer with the ids of a recorded span. */
  end(requestId: string, answer: HttpResponse): HttpResponse;
}

/**
 * Starts the span of a request within the host's span or, without one, within the client's. Null without a tracer. Neither the query nor
 * the client's address is recorded: one may contain a client secret, and the other is personal data.
 */
export function startRequest({ trace }: Engine, endpoint: AnyEndpoint, request: HttpRequest): RequestSpan | null {
  if (trace === null || isProbe(endpoint)) return null;
  const parent = trace.hostSpan() ?? traceContextOf(headerOf(request, 'traceparent'), headerOf(request, 'tracestate'));
  const { method, prefix, path } = request;
  const attributes = {
    'http.request.method': method,
    'http.route': prefix ? `${prefix}${endpoint.path}` : endpoint.path,
    'url.path': prefix ? `${prefix}${path}` : path,
  };
  const span = trace.start({ name: `${method} ${endpoint.path}`, kind: 'server', parent, attributes });
  return span === null
    ? null
    : {
        trace: traceIn(trace, span),
        run: (work) => span.run(work),
        end: (requestId, answer) => {
          if (!span.isRecorded) return answer;
          span.end(endOfRequest(requestId, answer));
          return { ...answer, trace: traceFieldsOf(span) };
        },
      };
}

function endOfRequest(requestId: string, { status, partnerId }: HttpResponse): SpanEnd {
  return {
    attributes: {
      'http.response.status_code': status,
      'gateramp.request.id': requestId,
      'gateramp.partner.id': partnerId,
    },
    errorType: status >= 500 ? String(status) : null,
  };
}

/** The engine for one request, which occupies no slot while it waits for a provider. */
export function engineAt(slot: Slot, engine: Engine, span: RequestSpan | null): Engine {
  const { deadlines } = engine;
  // One form, traced or not: with two, every access to a port of the engine would be slower.
  const { trace, providers, telemetry } = span === null ? engine : partsWithin(engine, span.trace);
  return {
    ...engine,
    trace,
    providers,
    telemetry,
    deadlines: {
      within: (work, limitMs) => slot.outside(deadlines.within(work, limitMs)),
      rest: (ms) => deadlines.rest(ms),
    },
  };
}
