import { isRecord } from '../../domain/json.js';
import { ENGINE_TASKS } from '../../application/tasks/run-task.js';
import { type Routes, routesOf } from '../../http/endpoints.js';
import type { Page } from '../../http/page.js';
import { contractProblem } from '../../ports/contract.js';
import { CALLS } from '../in-process.js';
import { shapeOf, throwIfAny } from './argument-error.js';

/** Problems of the extensions of a gate: what is no extension, and what would hide a part of the engine or of another extension. */
export function extensionProblems(extensions: unknown): readonly string[] {
  if (extensions === undefined) return [];
  if (!Array.isArray(extensions)) return [`extensions must be an array of extensions, not ${shapeOf(extensions)}.`];
  const wrong = extensions.flatMap((one: unknown, index) =>
    isRecord(one) && typeof one['name'] === 'string' && one['name'] !== ''
      ? (contractProblem(`extensions[${index}]`, one, '@gateramp/core') ?? [])
      : [`extensions[${index}] must be an extension, as the function that makes it returns it; it is ${shapeOf(one)}.`],
  );
  if (wrong.length > 0) return wrong;
  // Checked above: each is an object with a name. Members that are wrong in themselves do not compile.
  const given = extensions as readonly (Partial<Routes> & {
    readonly name: string;
    readonly tasks?: object;
    readonly calls?: object;
    readonly pages?: (routes: Routes) => readonly Page[];
  })[];
  const routes = routesOf(given);
  const { endpoints, hosts } = routes;
  const pages = given.flatMap((one) => one.pages?.(routes) ?? []);
  return [
    ...repeated(
      'name',
      given.map(({ name }) => name),
    ),
    ...repeated(
      'host',
      hosts.map(({ name }) => name),
    ),
    ...repeated(
      'endpoint',
      endpoints.map(({ name }) => name),
    ),
    ...repeated(
      'route',
      [...endpoints, ...pages.map(({ path }) => ({ method: 'GET', path }))].map(
        ({ method, path }) => `${method} ${path}`,
      ),
    ),
    ...repeated('kind of task', [ENGINE_TASKS, ...given.map(({ tasks = {} }) => tasks)].flatMap(Object.keys)),
    ...repeated('name of calls', [CALLS, ...given.map(({ calls = {} }) => calls)].flatMap(Object.keys)),
  ];
}

/** The members of the engine and what extensions add to them. Throws a `GateArgumentError` if two have the same name. */
export function withAdded<Members extends object>(
  what: string,
  members: Members,
  added: readonly (object | undefined)[],
): Members {
  const names = [members, ...added.map((one) => one ?? {})].flatMap(Object.keys);
  throwIfAny('createGate received invalid arguments', repeated(what, names));
  return Object.assign({}, members, ...added) as Members;
}

function repeated(what: string, values: readonly string[]): readonly string[] {
  const twice = new Set(values.filter((value, index) => values.indexOf(value) !== index));
  return [...twice].map((value) => `extensions: the ${what} ${value} is not unique.`);
}
