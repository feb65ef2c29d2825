import { AssertionError } from 'node:assert';

const CALLS_SHOWN = 6;
const TEXT_MAX = 200;

interface Call {
  readonly request: string;
  answered: string;
}

/**
 * Records the calls of a store. When a law is broken, its message contains the promise, the last calls and their results, so that the
 * author of a store can find the cause without the law's source.
 */
export function witnessed<Port extends object>(
  port: Port,
  whom = 'The store',
): {
  readonly store: Port;
  /** The same error; if it comes from a law, the recorded calls are added to its message. */
  explain(error: unknown, promise: string | null): unknown;
} {
  const calls: Call[] = [];
  const watch =
    (name: string, method: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      const call: Call = { request: `${name}(${args.map(shortened).join(', ')})`, answered: 'has not answered yet' };
      calls.push(call);
      if (calls.length > CALLS_SHOWN) calls.shift();
      const answer = method.apply(port, args);
      if (answer instanceof Promise) {
        answer.then(
          (value) => (call.answered = shortened(value)),
          (error: unknown) => (call.answered = `threw ${String(error)}`),
        );
      }
      return answer;
    };
  const store = new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? watch(String(name), (...args): unknown => value.apply(target, args)) : value;
    },
  });
  return {
    store,
    explain(error, promise) {
      if (!(error instanceof AssertionError)) return error;
      const before = error.message;
      const lines = calls.map(({ request, answered }) => `  ${request}\n    → ${answered}`);
      error.message = [
        ...(promise === null ? [] : [`${whom} promises: ${promise}.`]),
        before,
        `The calls of ${whom}, the last one at the end:`,
        ...lines,
      ].join('\n');
      error.stack = error.stack?.replace(before, () => error.message) ?? '';
      return error;
    },
  };
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}…`;
}
