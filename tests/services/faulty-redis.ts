import { once as happened } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from './ports.js';

/** The false answer to a client that has sent this many commands. */
export type Lie = (client: Socket, commands: number) => void;

interface Link {
  readonly client: Socket;
  readonly target: Socket;
  deceived: boolean;
}

export interface FaultyRedis {
  readonly url: string;
  /** The number of false answers so far. */
  readonly lies: () => number;
  readonly begin: (lie: Lie) => void;
  readonly end: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * A proxy in front of Redis that forwards everything until a false answer is set. `lie` gets the socket and the number of commands
 * received; open connections receive it at once, new ones at their first command. When normal operation resumes, connections that received
 * a false answer are closed, as by a Redis that restarts.
 */
export async function faultyRedis(targetPort: number): Promise<FaultyRedis> {
  const links = new Set<Link>();
  let lie: Lie | null = null;
  let lies = 0;
  const deceive = (link: Link, commands: number): void => {
    link.deceived = true;
    lies += 1;
    lie?.(link.client, commands);
  };
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const link: Link = { client, target, deceived: false };
    const drop = (): void => {
      links.delete(link);
      client.destroy();
      target.destroy();
    };
    links.add(link);
    client.on('error', drop).on('close', drop);
    target.on('error', drop).on('close', drop);
    target.on('data', (chunk) => lie === null && client.write(chunk));
    client.on('data', (chunk) => {
      if (lie === null) target.write(chunk);
      else deceive(link, chunk.toString('latin1').match(/^\*\d+\r$/gm)?.length ?? 1);
    });
  });
  await happened(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `redis://127.0.0.1:${portOf(server)}`,
    lies: () => lies,
    begin: (answer) => {
      lie = answer;
      lies = 0;
      // Clients that wait in a blocking command, like a worker, receive it too; for the others it is an unrequested reply.
      for (const link of links) deceive(link, 1);
    },
    end: () => {
      lie = null;
      for (const { client, deceived } of links) if (deceived) client.destroy();
    },
    stop: async () => {
      for (const { client } of links) client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const each =
  (answer: string | Buffer): Lie =>
  (client, commands) =>
    void (client.writable && client.write(Buffer.concat(Array.from({ length: commands }, () => Buffer.from(answer)))));
const once =
  (answer: string | Buffer): Lie =>
  (client) =>
    void (client.writable && client.write(answer));

/** Possible misbehavior of a Redis, or of another server at its address. */
export const LIES: Readonly<Record<string, Lie>> = {
  'speaks HTTP': once('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
  'sends random bytes': once(Buffer.from(Array.from({ length: 2_048 }, (_, index) => (index * 7_919 + 13) % 256))),
  'sends NUL bytes': once(Buffer.alloc(64)),
  'closes at each command': (client) => client.destroy(),
  'closes in the middle of an answer': (client) => client.end('$100\r\nhalf of'),
  'announces a bulk of 2 GiB': once('$2147483648\r\n'),
  'announces a bulk of no number': once('$abc\r\nxx\r\n'),
  'announces an array of a billion': once('*1000000000\r\n:1\r\n'),
  'announces a negative length': once('*-7\r\n$-9\r\n'),
  'announces the length that leads its parser back to where it was': once('$-7\r\n'),
  'nests arrays without end': once('*1\r\n'.repeat(5_000)),
  'answers a number to everything': each(':42\r\n'),
  'answers OK to everything': each('+OK\r\n'),
  'answers nothing (a null) to everything': each('$-1\r\n'),
  'answers an empty array to everything': each('*0\r\n'),
  'answers an array of nulls and errors to everything': each('*3\r\n$-1\r\n-ERR inside\r\n*1\r\n$-1\r\n'),
  'answers a text to everything': each('$8\r\nnonsense\r\n'),
  'answers a number beyond all numbers': each(`:${'9'.repeat(400)}\r\n`),
  'answers each command three times': each('+OK\r\n+OK\r\n+OK\r\n'),
  'refuses everything': each('-ERR unknown command\r\n'),
  'is loading': each('-LOADING Redis is loading the dataset in memory\r\n'),
  'may only be read': each("-READONLY You can't write against a read only replica.\r\n"),
  'wants a password': each('-NOAUTH Authentication required.\r\n'),
  'says it has moved': each('-MOVED 3999 127.0.0.1:1\r\n'),
  'has no such script': each('-NOSCRIPT No matching script. Please use EVAL.\r\n'),
  'refuses without a word': each('-\r\n'),
};
