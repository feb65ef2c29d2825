import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

type Bytes = Buffer<ArrayBufferLike>;

export interface Link {
  readonly client: Socket;
  readonly target: Socket;
  readonly reader: (chunk: Bytes) => boolean;
  isCommitUnderWay: boolean;
}

export interface CuttingProxy {
  readonly port: number;
  readonly counts: { readonly links: number; readonly atRandom: number; readonly afterCommit: number };
  /** Cuts the open connection that `pick` chooses, in any state. */
  readonly cutOne: (pick: (links: readonly Link[]) => Link) => void;
  /** The next commit takes effect, and its response is lost with the connection. */
  readonly cutNextCommit: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * A proxy between a server and Postgres that forwards everything until told to cut. It reads only as much of the wire protocol as it needs
 * to see when a commit has been sent (`commit_changes`, named or not).
 */
export async function cuttingProxy({
  port,
  targetPort,
}: {
  readonly port: number;
  readonly targetPort: number;
}): Promise<CuttingProxy> {
  const links = new Set<Link>();
  let commitsToCut = 0;
  const counts = { links: 0, atRandom: 0, afterCommit: 0 };

  const server = createServer({ noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    const link: Link = { client, target, reader: commitReader(), isCommitUnderWay: false };
    links.add(link);
    counts.links += 1;
    const drop = (): void => cut(link, links);
    client.on('error', drop).on('close', drop);
    target.on('error', drop).on('close', drop);
    client.on('data', (chunk: Bytes) => {
      target.write(chunk);
      if (link.reader(chunk)) link.isCommitUnderWay = true;
    });
    target.on('data', (chunk: Bytes) => {
      const wasCommit = link.isCommitUnderWay;
      link.isCommitUnderWay = false;
      if (wasCommit && commitsToCut > 0) {
        // Postgres responds, so the commit took effect; its sender does not learn of it.
        commitsToCut -= 1;
        counts.afterCommit += 1;
        return drop();
      }
      client.write(chunk);
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    port,
    counts,
    cutOne(pick) {
      if (links.size === 0) return;
      counts.atRandom += 1;
      cut(pick([...links]), links);
    },
    cutNextCommit() {
      commitsToCut += 1;
    },
    async stop() {
      for (const link of links) cut(link, links);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function cut(link: Link, links: Set<Link>): void {
  links.delete(link);
  link.client.destroy();
  link.target.destroy();
}

const PARSE = 'P'.charCodeAt(0);
const BIND = 'B'.charCodeAt(0);

/** Reads a client's messages; true when a chunk ended one that runs `commit_changes`. */
function commitReader(): (chunk: Bytes) => boolean {
  let rest: Bytes = Buffer.alloc(0);
  let isGreeted = false;
  let isUnnamedCommit = false;
  const names = new Set<string>();

  const isCommit = (message: Bytes): boolean => {
    if (message[0] === PARSE) {
      const [name, query] = strings(message, 5);
      const isIt = query.includes('commit_changes');
      if (name === '') isUnnamedCommit = isIt;
      else if (isIt) names.add(name);
      return false;
    }
    if (message[0] !== BIND) return false;
    const [, statement] = strings(message, 5);
    return statement === '' ? isUnnamedCommit : names.has(statement);
  };

  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let found = false;
    for (;;) {
      const head = isGreeted ? 5 : 4;
      if (rest.length < head) return found;
      const size = isGreeted ? rest.readInt32BE(1) + 1 : rest.readInt32BE(0);
      if (rest.length < size) return found;
      if (isGreeted) found = isCommit(rest) || found;
      else isGreeted = true;
      rest = rest.subarray(size);
    }
  };
}

/** The two NUL-terminated texts at the start of a Parse and a Bind. */
function strings(message: Bytes, from: number): [string, string] {
  const first = message.indexOf(0, from);
  const second = message.indexOf(0, first + 1);
  return [message.toString('utf8', from, first), message.toString('utf8', first + 1, second)];
}
