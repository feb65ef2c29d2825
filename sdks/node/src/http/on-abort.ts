interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly run: () => void;
}

/** One listener for all callbacks of a signal: Node warns of a leak at the eleventh, and a signal may end any number of calls. */
const waitingFor = new WeakMap<AbortSignal, Waiting>();

/** Calls back when the signal aborts. Returns a function that stops waiting for it. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const { callbacks, run } = waitingFor.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    signal.removeEventListener('abort', run);
    waitingFor.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const waiting = { callbacks, run: () => callbacks.forEach((callback) => callback()) };
  signal.addEventListener('abort', waiting.run, { once: true });
  waitingFor.set(signal, waiting);
  return waiting;
}
