/** Runs the event loop until the condition holds; the time limit of the test ends a condition that never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
