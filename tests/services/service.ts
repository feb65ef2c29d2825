/** A service that a vitest run starts on first use, and stops at the end. */
export interface Service {
  /** Its URL, or the path of its folder. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The URL of a service of this run. Fails if the service is unavailable: tests are never skipped. */
export async function serviceOfRun(name: string): Promise<string> {
  const services = process.env.GATERAMP_TEST_SERVICES;
  if (!services) throw new Error(`There is no ${name} to test with: run the tests through vitest.`);
  const response = await fetch(`${services}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
