import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { atMost } from '../scheduling/timers.js';
import type { RefuseUnread } from './client-error-answerer.js';

/** For a client that is still sending a refused request; closing at once could lose the response. */
const RECEIVE_MS = 2_000;

const STREAMS_CHECK_MS = 100;

/**
 * Stops a server of `node:http` or `node:https`, with any framework, without interrupting requests. Create it before the server listens:
 * requests that were received earlier are not waited for. `refuse` answers the requests that arrive while it drains.
 */
export class ServerDrain {
  private readonly responses = new Set<ServerResponse>();
  private drained: Promise<void> | null = null;
  private whenIdle: () => void = () => undefined;

  constructor(
    private readonly server: Server,
    private readonly refuse: RefuseUnread,
  ) {
    server.prependListener('request', this.track);
  }

  /** The number of requests that are not answered yet. */
  get running(): number {
    return this.responses.size;
  }

  /**
   * Stops accepting connections, and resolves when every running request has been answered. Idle connections are closed at once, and the
   * others with their next response. Event streams are ended. Connections that were upgraded, such as WebSockets, stay open.
   */
  drain(): Promise<void> {
    this.drained ??= this.begin();
    return this.drained;
  }

  /** Closes all connections at once, also those of running requests. */
  cut(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Refuses one request with 503, and closes its connection. */
  async refuseRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('connection', 'close');
    try {
      await atMost(RECEIVE_MS, finished(request.resume()));
      const clientIp = request.socket.remoteAddress ?? '';
      const { status, headers, body } = await this.refuse('service_unavailable', clientIp);
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    } catch {
      response.destroy();
    }
  }

  private async begin(): Promise<void> {
    // Also closes the idle connections.
    this.server.close();
    this.server.removeAllListeners('request');
    this.server.on('request', this.track);
    this.server.on('request', (request, response) => void this.refuseRequest(request, response));
    // Of pipelined requests only the last may close the connection.
    const lastOfEach = new Map([...this.responses].map((response) => [response.req.socket, response]));
    for (const response of lastOfEach.values()) if (!response.headersSent) response.setHeader('connection', 'close');
    this.endStreams();
    // A request that was just received may still become a stream.
    const check = setInterval(() => this.endStreams(), STREAMS_CHECK_MS);
    if (this.running > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve));
    clearInterval(check);
    this.server.closeAllConnections();
  }

  /** A stream lasts as long as its page. Its client reconnects, on a new connection and so to another process. */
  private endStreams(): void {
    for (const response of this.responses) {
      if (!response.headersSent || response.writableEnded || !isEventStream(response)) continue;
      const { socket } = response.req;
      response.end(() => socket.end());
    }
  }

  private readonly track = (_request: IncomingMessage, response: ServerResponse): void => {
    this.responses.add(response);
    response.once('close', () => {
      this.responses.delete(response);
      if (this.running === 0) this.whenIdle();
    });
  };
}

/** Node does not tell headers that were passed to `writeHead` only, but event sources say what they accept. */
function isEventStream(response: ServerResponse): boolean {
  const type = response.getHeader('content-type') ?? response.req.headers.accept;
  return typeof type === 'string' && type.startsWith('text/event-stream');
}
