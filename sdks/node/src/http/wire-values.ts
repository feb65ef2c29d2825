import { InvalidRequestError } from '../errors/classes.js';

/** The text of a body, in which `extra` overrides. Dates are in ISO 8601. Throws for what JSON would drop or alter, naming the member. */
export function bodyText(body: object = {}, extra: object = {}): string {
  return checked('body', () => JSON.stringify({ ...membersOf(body, 'The body'), ...membersOf(extra, 'extraBody') }));
}

/** The text of a query. Undefined and null members are left out; dates are in ISO 8601. */
export function queryText(query: object = {}): string {
  const text = checked('query', () =>
    Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(parameter(name, value))}`)
      .join('&'),
  );
  return text === '' ? '' : `?${text}`;
}

/** Says which value cannot be sent, and what to send instead. */
class UnsendableError extends Error {}

function checked(part: 'body' | 'query', encode: () => string): string {
  try {
    return encode();
  } catch (cause) {
    const code = `invalid_${part}`;
    if (cause instanceof UnsendableError) throw new InvalidRequestError({ code, message: cause.message });
    // A getter or `toJSON` that throws, text that is not Unicode, or values nested too deeply.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidRequestError({ code, message: `The ${part} cannot be sent: ${reason}.`, cause });
  }
}

function membersOf(value: object, name: string): object {
  const encoded = encoder(name)(value, '');
  if (typeof encoded === 'object' && encoded !== null && !Array.isArray(encoded)) return encoded;
  throw new UnsendableError(`${name} is not an object. Pass an object with its members.`);
}

function parameter(name: string, value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  const encoded = encoder(name)(value, name);
  if (typeof encoded === 'string' || typeof encoded === 'number' || typeof encoded === 'boolean')
    return String(encoded);
  throw new UnsendableError(`${name} is ${kindOf(value)}. Send text, a number, a boolean or a Date.`);
}

/** Encodes values at paths such as `metadata.items[0]`. `root` is the name of the path ''. */
function encoder(root: string): (value: unknown, path: string) => unknown {
  /** The objects around the value. */
  const around = new Set<object>();

  const encode = (value: unknown, path: string): unknown => {
    const refuse = (message: string): never => {
      throw new UnsendableError(`${path === '' ? root : path} ${message}`);
    };
    switch (typeof value) {
      case 'number':
        return Number.isFinite(value) ? value : refuse(`is ${value}. Send a finite number.`);
      case 'bigint':
        return refuse('is a bigint. Send String(value) for an amount, or Number(value) for a whole number.');
      case 'function':
      case 'symbol':
        return refuse(`is a ${typeof value}. Leave it out, or send text.`);
      case 'object':
        break;
      default:
        return value;
    }
    if (value === null) return null;
    if (value instanceof Date && Number.isNaN(value.getTime()))
      return refuse('is an invalid Date. Check the value it was made from.');
    if (around.has(value)) return refuse('contains itself. Send an id instead of the object.');
    around.add(value);
    const encoded = encodeObject(value, path, refuse);
    around.delete(value);
    return encoded;
  };

  const encodeObject = (value: object, path: string, refuse: (message: string) => never): unknown => {
    if (hasJson(value)) return encode(value.toJSON(), path);
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      // `Array.from` also visits the holes of a sparse array.
      return Array.from(items, (item, index) =>
        item === undefined
          ? refuse(`has no item ${index}. Send null, or leave it out.`)
          : encode(item, `${path}[${index}]`),
      );
    }
    const kind = kindOf(value);
    if (kind !== 'an Object') return refuse(`is ${kind}. ${INSTEAD[kind] ?? 'Send a plain object or text.'}`);
    const prefix = path === '' ? '' : `${path}.`;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, encode(member, `${prefix}${name}`)]),
    );
  };

  return encode;
}

const hasJson = (value: object): value is { toJSON(): unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

const INSTEAD: Readonly<Record<string, string>> = {
  'a Map': 'Send Object.fromEntries(map).',
  'a Set': 'Send [...set].',
  'a Promise': 'Await it first.',
};

/** "a Map". JSON would turn most objects that are not plain into `{}`. */
function kindOf(value: unknown): string {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
