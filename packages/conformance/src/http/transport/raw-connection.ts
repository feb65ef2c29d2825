import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { WireResponse } from '../subject.js';

/** The time limit for responses. */
const ANSWER_MAX_MS = 30_000;

const END_OF_HEAD = '\r\n\r\n';

/** A connection on which a law writes arbitrary bytes and reads responses in order. */
export class RawConnection {
  private received = Buffer.alloc(0);
  private ended = false;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
      socket.emit('news');
    });
    // Some laws expect to be disconnected.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.ended = true;
      socket.emit('news');
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  write(...parts: readonly (string | Uint8Array)[]): this {
    for (const part of parts) this.socket.write(part);
    return this;
  }

  /** The next response. Rejects if the server closes the connection, or sends nothing. */
  async read(): Promise<WireResponse> {
    const head = await this.upTo(() => this.received.indexOf(END_OF_HEAD), 'a head');
    const [statusLine = '', ...lines] = this.take(head + END_OF_HEAD.length)
      .trimEnd()
      .split('\r\n');
    const headers = Object.fromEntries(lines.map(headerIn));
    const length = Number(headers['content-length'] ?? 0);
    await this.upTo(() => (this.received.byteLength >= length ? 0 : -1), `${length} bytes of body`);
    return { status: Number(statusLine.split(' ')[1]), headers, body: this.take(length) };
  }

  /** Waits until the server has closed the connection. Rejects if it does not. */
  async closed(): Promise<void> {
    const patience = AbortSignal.timeout(ANSWER_MAX_MS);
    while (!this.ended) {
      await once(this.socket, 'news', { signal: patience }).catch(() => {
        throw new Error(`The server did not close within ${ANSWER_MAX_MS} ms.`);
      });
    }
  }

  /** Received data that has not been read. */
  get rest(): string {
    return this.received.toString('utf8');
  }

  /** Disconnects abruptly. */
  leave(): void {
    this.socket.resetAndDestroy();
  }

  private async upTo(found: () => number, what: string): Promise<number> {
    const patience = AbortSignal.timeout(ANSWER_MAX_MS);
    for (;;) {
      const at = found();
      if (at >= 0) return at;
      assert.ok(!this.ended, `the server closed the connection; expected ${what}`);
      await once(this.socket, 'news', { signal: patience }).catch(() => {
        throw new Error(`No answer within ${ANSWER_MAX_MS} ms; expected ${what}.`);
      });
    }
  }

  private take(bytes: number): string {
    const text = this.received.subarray(0, bytes).toString('utf8');
    this.received = this.received.subarray(bytes);
    return text;
  }
}

function headerIn(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** The head of a request. */
export function head(method: string, path: string, headers: readonly string[] = []): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: gate.test', ...headers, '', ''].join('\r\n');
}
