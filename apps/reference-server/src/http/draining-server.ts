import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestRefusalCode } from '@gateramp/core/domain';
import { requestRefusal, unreadRequest, type HttpResponse } from '@gateramp/core/http';
import { clientErrorAnswerer, type RefuseUnread, SERVER_LIMITS, ServerDrain } from '@gateramp/core/runtime';
import { refusal } from './plain-answer.js';

type ServerLimits = { readonly [Name in keyof typeof SERVER_LIMITS]: number } & {
  /** How long an idle connection is kept; Node's default is five seconds. */
  readonly keepAliveTimeout?: number;
};

/**
 * A listener that is bound before anything can answer, since the gate must know its origins, and that stops without
 * interrupting requests. Works with every framework.
 */
export class DrainingServer {
  private readonly server: Server;
  private readonly requests: ServerDrain;
  private handler: RequestListener | null = null;
  /** Answers requests that could not be read, or that arrived too early or too late. */
  private refuseUnread: RefuseUnread = plainly;

  constructor(limits: ServerLimits = SERVER_LIMITS) {
    const refuse: RefuseUnread = (refusedAs, clientIp) => this.refuseUnread(refusedAs, clientIp);
    // The gate refuses a missing Host; Node would answer with a bare response.
    this.server = createServer({ ...limits, requireHostHeader: false }, (request, response) => {
      if (this.handler === null) void this.requests.refuseRequest(request, response);
      else this.handler(request, response);
    });
    this.requests = new ServerDrain(this.server, refuse);
    this.server.on('clientError', clientErrorAnswerer(refuse));
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
  drain(): Promise<void> {
    return this.requests.drain();
  }

  /** Closes at once, interrupting running requests. */
  cut(): void {
    this.requests.cut();
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
