/** The longest delay that timers support. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** The result of `work`, or of `late` if it takes longer. The work itself continues. */
export async function within<Value>(seconds: number, work: Promise<Value>, late: () => Value): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(seconds * 1000, DELAY_MAX_MS));
  });
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
