/** Aborts at the first SIGINT or SIGTERM; the second ends the process as usual. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}
