import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestRefusalCode } from '@gateramp/core/domain';
import { requestRefusal, unreadRequest, type HttpResponse } from '@gateramp/core/http';
import { clientErrorAnswerer, SERVER_LIMITS } from '@gateramp/core/runtime';
import { refusal } from './plain-answer.js';

type ServerLimits = { readonly [Name in keyof typeof SERVER_LIMITS]: number } & {
  /** How long an idle connection is kept; Node's default is five seconds. */
  readonly keepAliveTimeout?: number;
};

/** Answers requests that could not be read, or that arrived too early or too late. */
export type RefuseUnread = (refusedAs: RequestRefusalCode, clientIp: string) => Promise<HttpResponse>;

/**
 * A listener that is bound before anything can answer, since the gate must know its origins, and that stops without
 * interrupting requests. Works with every framework.
 */
export class DrainingServer {
  private readonly server: Server;
  private readonly running = new Set<ServerResponse>();
  private handler: RequestListener | null = null;
  private refuseUnread: RefuseUnread = plainly;
  private isDraining = false;
  private whenIdle: () => void = () => undefined;

  constructor(limits: ServerLimits = SERVER_LIMITS) {
    // The gate refuses a missing Host; Node would answer with a bare response.
    this.server = createServer({ ...limits, requireHostHeader: false }, (request, response) => {
      this.running.add(response);
      response.once('close', () => this.ended(response));
      if (this.handler !== null && !this.isDraining) this.handler(request, response);
      else this.refuseNow(response);
    });
    this.server.on(
      'clientError',
      clientErrorAnswerer((refusedAs, clientIp) => this.refuseUnread(refusedAs, clientIp)),
    );
    // For an unknown Expect: the gate refuses it, other handlers ignore it.
    this.server.on('checkExpectation', (request, response) => this.server.emit('request', request, response));
  }

  /** Rejects with the error of the operating system, such as a port in use. */
  async bind(host: string, port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port, backlog: 4_096 }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  /** The actual port, if 0 was requested. */
  get port(): number {
    // A server bound to TCP has an address object; a path or null would be a bug here.
    return (this.server.address() as AddressInfo).port;
  }

  serve(handler: RequestListener, refuseUnread: RefuseUnread = plainly): void {
    this.handler = handler;
    this.refuseUnread = refuseUnread;
  }

  /** Stops accepting connections, and resolves when every running request has been answered. */
  async drain(): Promise<void> {
    this.isDraining = true;
    this.server.close();
    for (const response of this.running) {
      if (!response.headersSent) response.setHeader('connection', 'close');
      // A stream of changes lasts as long as its page; its client reconnects, to another process.
      else if (response.getHeader('content-type') === 'text/event-stream') response.end();
    }
    if (this.running.size > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve));
    this.server.closeAllConnections();
  }

  /** Closes at once, interrupting running requests. */
  cut(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private refuseNow(response: ServerResponse): void {
    response.setHeader('connection', 'close');
    this.refuseUnread('service_unavailable', response.socket?.remoteAddress ?? '').then(
      ({ status, headers, body }) =>
        void response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body),
      () => response.destroy(),
    );
  }

  private ended(response: ServerResponse): void {
    this.running.delete(response);
    if (this.running.size === 0) this.whenIdle();
  }
}

/** The answer if there is no gate, or none yet. */
function plainly(refusedAs: RequestRefusalCode, clientIp: string): Promise<HttpResponse> {
  const { code, message } = requestRefusal(unreadRequest(refusedAs, clientIp)) ?? {
    code: refusedAs,
    message: refusedAs,
  };
  return Promise.resolve(refusal(code, message));
}
