/** The part of a W3C WebDriver session that a purchase needs: https://www.w3.org/TR/webdriver2/ */
export interface WebDriver {
  send(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown>;
  /** Runs a script with arguments in the current frame and returns its result. */
  run(script: string, args?: readonly unknown[]): Promise<unknown>;
}

/** The member that identifies an element reference in the protocol. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export interface ElementReference {
  readonly id: string;
}

/** The element reference in a script's result; null if there is none. */
export function elementOf(answer: unknown): ElementReference | null {
  if (typeof answer !== 'object' || answer === null || !(ELEMENT in answer)) return null;
  return { id: String(answer[ELEMENT]) };
}

export const referenceTo = ({ id }: ElementReference): object => ({ [ELEMENT]: id });

export async function openSession(driver: string, capabilities: object): Promise<WebDriver> {
  const created = await call(`${driver}/session`, 'POST', { capabilities: { alwaysMatch: capabilities } });
  const { sessionId } = created as { readonly sessionId: string };
  const session = `${driver}/session/${sessionId}`;
  return {
    send: (method, path, body = {}) => call(`${session}${path}`, method, body),
    run: (text, args = []) => call(`${session}/execute/sync`, 'POST', { script: text, args }),
  };
}

async function call(url: string, method: string, body: object = {}): Promise<unknown> {
  const response = await fetch(url, { method, ...(method === 'POST' && { body: JSON.stringify(body) }) });
  // Every response has this member, by the specification.
  const { value } = (await response.json()) as { readonly value: unknown };
  if (!response.ok) throw new Error(`WebDriver ${method} ${url}: ${JSON.stringify(value)}`);
  return value;
}
