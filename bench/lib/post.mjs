import { httpSocket } from './http-socket.mjs';

const CREATED = 201;

/**
 * Sends requests whether or not earlier ones have been answered, over sockets that are kept: as many as are under way at
 * once. The one used last is taken first.
 *
 * @returns {(request: string) => Promise<string>} the answer's body, which must be a 201
 */
export function poster(port) {
  const free = [];
  const post = (request) =>
    new Promise((resolve, reject) => {
      const kept = free.pop();
      const connection = kept ?? connectionTo(port);
      // A kept connection may be closed just as it is taken; the request's key makes asking again harmless.
      connection.onFault = (error) => (kept === undefined ? reject(error) : resolve(post(request)));
      connection.socket.ask(request, (body) => {
        connection.onFault = () => free.splice(free.indexOf(connection), 1);
        free.push(connection);
        resolve(body);
      });
    });
  return post;
}

/** Tells its first fault alone: a socket that breaks closes as well. */
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
