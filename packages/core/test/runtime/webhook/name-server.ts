import { createSocket, type Socket } from 'node:dgram';
import { onTestFinished } from 'vitest';

/** IPv4 addresses; `null` for a name that does not exist; `'silence'` for no answer. */
export type NameAnswer = readonly string[] | null | 'silence';

/** A real name server on a loopback port, closed after the test. It has no IPv6 addresses. */
export interface NameServer {
  /** In the format of `resolver.servers`. */
  readonly address: string;
  /** Names that were queried, one entry per IPv4 query. */
  readonly asked: readonly string[];
}

export async function nameServer(answer: (name: string) => NameAnswer | Promise<NameAnswer>): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  let isOpen = true;
  socket.on('message', (question, { port }) => {
    const { name, type, end } = readQuestion(question);
    if (type === TYPE_A) asked.push(name);
    void Promise.resolve(answer(name)).then((given) => {
      if (given === 'silence' || !isOpen) return;
      reply(socket, port, { question: question.subarray(0, end), name: given, isA: type === TYPE_A });
    });
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    isOpen = false;
    return new Promise((resolve) => socket.close(() => resolve()));
  });
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

const TYPE_A = 1;
const NAME_ERROR = 3;

function readQuestion(bytes: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: bytes.readUInt16BE(at + 1), end: at + 5 };
}

interface Reply {
  readonly question: Buffer;
  readonly name: readonly string[] | null;
  readonly isA: boolean;
}

function reply(socket: Socket, port: number, { question, name, isA }: Reply): void {
  const answers = isA ? (name ?? []).map(recordOf) : [];
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (name === null ? NAME_ERROR : 0), 2);
  head.writeUInt16BE(answers.length, 6);
  head.writeUInt32BE(0, 8);
  socket.send(Buffer.concat([head, ...answers]), port, '127.0.0.1');
}

/** The name refers to the question's; the record may be cached for an hour. */
function recordOf(address: string): Buffer {
  const head = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0x0e, 0x10, 0, 4]);
  return Buffer.concat([head, Buffer.from(address.split('.').map(Number))]);
}
