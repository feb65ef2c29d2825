/** Something that one vitest run brings up when the first test asks for it, and stops after the last. */
export interface Service {
  /** Where it is: a URL, or a folder. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The URL of a service of this run. It fails when there can be none: nothing is ever skipped. */
export async function serviceOfRun(name: string): Promise<string> {
  const services = process.env.GATERAMP_TEST_SERVICES;
  if (!services) throw new Error(`There is no ${name} to test with: run the tests through vitest.`);
  const response = await fetch(`${services}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
