import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A span as a collector receives it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly status: { readonly code?: number };
  readonly traceState?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** JSON over HTTP, as in the specification of OTLP; only the members that are read. */
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: CollectedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** The `service.name` of everything received. */
  readonly services: ReadonlySet<string | undefined>;
}

/** A collector that takes OTLP over HTTP, until the test ends. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const services = new Set<string | undefined>();
  const url = await listen(async (request, response) => {
    const { resourceSpans } = JSON.parse(await textOf(request)) as ExportRequest;
    for (const { resource, scopeSpans } of request.url === '/v1/traces' ? resourceSpans : []) {
      services.add(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  return { url, spans, services };
}

export interface Receiver {
  readonly url: string;
  readonly traceparents: readonly (string | undefined)[];
  readonly tracestates: readonly (string | undefined)[];
  answerWith(status: number): void;
}

/** A partner's server that keeps the trace context of each webhook, until the test ends. */
export async function startReceiver(): Promise<Receiver> {
  const traceparents: (string | undefined)[] = [];
  const tracestates: (string | undefined)[] = [];
  let status = 200;
  const url = await listen(async (request, response) => {
    await textOf(request);
    traceparents.push(request.headers['traceparent']?.toString());
    tracestates.push(request.headers['tracestate']?.toString());
    response.writeHead(status).end();
  });
  return { url: `${url}/hooks`, traceparents, tracestates, answerWith: (next) => void (status = next) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
