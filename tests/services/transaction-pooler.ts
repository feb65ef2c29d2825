import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { portOf } from './ports.js';

/**
 * A transaction-pooling proxy, as used in front of Postgres: each transaction of a client gets any free one of a few server connections,
 * and session state is unreliable. Implements the wire protocol and accepts all clients.
 */
export async function startTransactionPooler(
  url: string,
  { connectionsMax = 2 }: { connectionsMax?: number } = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const target = new URL(url);
  const servers = new ServerPool(target, connectionsMax);
  const sockets = new Set<Socket>();
  const proxy = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    serveClient(socket, servers);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `postgres://${target.username}@127.0.0.1:${portOf(proxy)}${target.pathname}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      servers.close();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

type Bytes = Buffer<ArrayBufferLike>;

/** One connection to the database; messages are passed to its current client. */
interface ServerConnection {
  readonly socket: Socket;
  onMessage: ((message: Bytes) => void) | null;
}

const SYNC = 'S'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

function serveClient(socket: Socket, servers: ServerPool): void {
  let buffered: Bytes = Buffer.alloc(0);
  let isGreeted = false;
  let server: ServerConnection | null = null;
  let waiting = false;
  let unanswered = 0;

  const onServerMessage = (message: Bytes): void => {
    socket.write(message);
    if (message[0] !== READY) return;
    unanswered -= 1;
    if (unanswered > 0 || message[5] !== IDLE) return;
    if (server !== null) servers.release(server);
    server = null;
    pump();
  };

  const pump = (): void => {
    if (waiting) return;
    for (;;) {
      const length = isGreeted ? 5 : 4;
      if (buffered.length < length) return;
      const size = isGreeted ? buffered.readInt32BE(1) + 1 : buffered.readInt32BE(0);
      if (buffered.length < size) return;
      if (isGreeted && server === null && buffered[0] !== TERMINATE) {
        waiting = true;
        servers.acquire((acquired) => {
          waiting = false;
          server = acquired;
          acquired.onMessage = onServerMessage;
          pump();
        });
        return;
      }
      const message = buffered.subarray(0, size);
      buffered = buffered.subarray(size);
      if (!isGreeted) isGreeted = greet(socket, message);
      else if (message[0] === TERMINATE) return void socket.end();
      else {
        if (message[0] === SYNC || message[0] === QUERY) unanswered += 1;
        server?.socket.write(message);
      }
    }
  };

  socket.on('data', (chunk: Bytes) => {
    buffered = Buffer.concat([buffered, chunk]);
    pump();
  });
  // A transaction that its client has left open ends with its connection.
  socket.on('close', () => server !== null && servers.discard(server));
}

const SSL_REQUEST = 80877103;

/** Answers a start-up message; false if the client only requested encryption and will start again. */
function greet(socket: Socket, message: Bytes): boolean {
  if (message.readInt32BE(4) === SSL_REQUEST) {
    socket.write('N');
    return false;
  }
  const parameter = (name: string, value: string): Bytes => frame('S', Buffer.from(`${name}\0${value}\0`));
  const parameters = [
    parameter('server_version', '18.4'),
    parameter('client_encoding', 'UTF8'),
    parameter('standard_conforming_strings', 'on'),
  ];
  socket.write(
    Buffer.concat([
      frame('R', Buffer.alloc(4)),
      ...parameters,
      frame('K', Buffer.alloc(8)),
      frame('Z', Buffer.from('I')),
    ]),
  );
  return true;
}

function frame(type: string, body: Bytes): Bytes {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Rotates connections, so that two transactions of one client rarely use the same one. */
class ServerPool {
  private readonly all = new Set<ServerConnection>();
  private readonly free: ServerConnection[] = [];
  private readonly queue: ((server: ServerConnection) => void)[] = [];

  constructor(
    private readonly target: URL,
    private readonly connectionsMax: number,
  ) {}

  acquire(use: (server: ServerConnection) => void): void {
    const server = this.free.shift();
    if (server !== undefined) use(server);
    else {
      this.queue.push(use);
      if (this.all.size < this.connectionsMax) this.open();
    }
  }

  release(server: ServerConnection): void {
    server.onMessage = null;
    const next = this.queue.shift();
    if (next !== undefined) next(server);
    else this.free.push(server);
  }

  discard(server: ServerConnection): void {
    this.all.delete(server);
    server.socket.destroy();
    if (this.queue.length > 0) this.open();
  }

  close(): void {
    for (const { socket } of this.all) socket.destroy();
  }

  private open(): void {
    const socket = connect({ port: Number(this.target.port), host: this.target.hostname, noDelay: true });
    const server: ServerConnection = { socket, onMessage: null };
    this.all.add(server);
    const start = Buffer.from(`user\0${this.target.username}\0database\0${this.target.pathname.slice(1)}\0\0`);
    const head = Buffer.alloc(8);
    head.writeInt32BE(start.length + 8, 0);
    head.writeInt32BE(196608, 4);
    socket.write(Buffer.concat([head, start]));
    socket.on('error', () => undefined);
    let buffered: Bytes = Buffer.alloc(0);
    let isReady = false;
    socket.on('data', (chunk: Bytes) => {
      buffered = Buffer.concat([buffered, chunk]);
      while (buffered.length >= 5 && buffered.length > buffered.readInt32BE(1)) {
        const message = buffered.subarray(0, buffered.readInt32BE(1) + 1);
        buffered = buffered.subarray(message.length);
        if (isReady) server.onMessage?.(message);
        else if (message[0] === READY) {
          isReady = true;
          this.release(server);
        }
      }
    });
  }
}
