import { httpSocket } from './http-socket.mjs';

const CREATED = 201;

/**
 * Sends requests without waiting for earlier answers, over as many keep-alive sockets as there are concurrent requests.
 * The most recently used socket is used first.
 *
 * @returns {(request: string) => Promise<string>} the answer's body, which must be a 201
 */
export function poster(port) {
  const free = [];
  const post = (request) =>
    new Promise((resolve, reject) => {
      const kept = free.pop();
      const connection = kept ?? connectionTo(port);
      // A kept connection may be closed at the moment of its reuse. The idempotency key makes the repeat harmless.
      connection.onFault = (error) => (kept === undefined ? reject(error) : resolve(post(request)));
      connection.socket.ask(request, (body) => {
        connection.onFault = () => free.splice(free.indexOf(connection), 1);
        free.push(connection);
        resolve(body);
      });
    });
  return post;
}

/** Opens a connection. Only its first fault is reported, because a broken socket also closes. */
function connectionTo(port) {
  const connection = { onFault: null, socket: null };
  const onFault = (error) => {
    const tell = connection.onFault;
    connection.onFault = () => undefined;
    tell(error);
  };
  connection.socket = httpSocket({ port, expect: CREATED, onFault });
  return connection;
}
