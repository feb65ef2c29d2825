import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

interface Subset {
  readonly operations: Readonly<Record<string, { readonly request: object; readonly response: object }>>;
  readonly schemas: Readonly<Record<string, object>>;
}

const subset = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi/stripe.json'), 'utf8')) as Subset;

/** Query and form parameters are text, so requests are coerced as Stripe coerces them. */
const requests = compiler(true);
const responses = compiler(false);

function compiler(coerceTypes: boolean): (schema: object) => ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes });
  ajv.addSchema({ $id: 'stripe', schemas: subset.schemas });
  const compiled = new Map<object, ValidateFunction>();
  return (schema) => {
    const found = compiled.get(schema) ?? ajv.compile(absolute(schema));
    compiled.set(schema, found);
    return found;
  };
}

const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', '"stripe#/schemas/')) as object;

/** The documented operation of a request, with the path template; null for an operation that is not in use. */
export function operationOf(method: string, path: string): string | null {
  const found = Object.keys(subset.operations).find((operation) => {
    const [verb, template = ''] = operation.split(' ');
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
    return verb === method && pattern.test(path) && !/\/(search)$/.test(path);
  });
  return found ?? null;
}

/** The problems of a request according to the document. Numbers and arrays of `params` are coerced in place. */
export function requestProblems(operation: string, params: object): string | null {
  return problems(requests(subset.operations[operation]?.request ?? {}), params);
}

/** The problems of a response according to the document. */
export function responseProblems(operation: string, body: object): string | null {
  return problems(responses(subset.operations[operation]?.response ?? {}), body);
}

/** The problems of an object according to its schema in the document. */
export function schemaProblems(name: string, body: object): string | null {
  return problems(responses(subset.schemas[name] ?? { not: {} }), body);
}

function problems(validate: ValidateFunction, value: object): string | null {
  if (validate(value)) return null;
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`).join('; ');
}
