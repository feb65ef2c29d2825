/**
 * Watches for the end of a child process, which may come at any time.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} name
 */
export function childEnd(child, name) {
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  return {
    ended,
    /** The result of `work`; rejects if the child ends before. Without it, a wait for the work of a dead child would never end. */
    whileRunning: (work) =>
      Promise.race([work, ended.then((how) => Promise.reject(new Error(`${name} ended with ${how}.`)))]),
  };
}
