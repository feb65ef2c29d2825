import { err, ok, type Result } from 'neverthrow';
import { hasBadCharacters } from '../../domain/json/read-json.js';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, type PageRequest } from '../../domain/paging/page.js';
import type { FieldError, Refusal } from '../../domain/refusal.js';
import type { Instant } from '../../domain/instant.js';
import { isCalendarDay } from '../calendar-day.js';
import type { Read } from '../endpoint.js';
import { firstOfEach } from '../fields.js';

/** A query that takes no parameter at all. */
export function noQuery(query: URLSearchParams): Read<null> {
  const reader = new QueryReader(query);
  return reader.done(null);
}

/** For callers who choose the address themselves. */
export function anyQuery(): Read<null> {
  return ok(null);
}

export function queryRefusal(
  fields: readonly FieldError[],
  max: number,
): Refusal<'validation_failed' | 'unknown_parameter'> {
  const code = fields.every((field) => field.code === 'unknown_parameter') ? 'unknown_parameter' : 'validation_failed';
  return { code, message: fields[0]?.message ?? 'The query is not valid.', fields: firstOfEach(fields, max) };
}

/** Reads parameters by name, each at most once, and refuses what nobody asked for. */
export class QueryReader {
  private readonly faults: FieldError[] = [];
  private readonly known = new Set<string>();

  constructor(private readonly query: URLSearchParams) {}

  text(name: string, max = 128): string | null {
    const value = this.once(name);
    if (value === null) return null;
    if ([...value].length > max) this.fault(name, 'too_long', `must have at most ${max} characters`);
    return value;
  }

  oneOf<const Word extends string>(name: string, words: readonly Word[]): Word | null {
    const value = this.once(name);
    if (value === null) return null;
    const word = words.find((one) => one === value);
    if (word === undefined) this.fault(name, 'invalid', `must be one of ${words.join(', ')}`);
    return word ?? null;
  }

  currency(name: string): string | null {
    const value = this.once(name);
    if (value === null) return null;
    if (!/^[A-Za-z]{3}$/.test(value)) this.fault(name, 'invalid_format', 'must be three letters');
    return value.toUpperCase();
  }

  /** ISO-8601 with an offset, or a date. */
  instant(name: string): Instant | null {
    const value = this.once(name);
    if (value === null) return null;
    const instant = ISO_TIME.test(value) && isCalendarDay(value.slice(0, 10)) ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(instant)) return instant;
    this.fault(name, 'invalid_format', 'must be an ISO-8601 time such as 2030-01-31T12:00:00Z');
    return null;
  }

  page(): PageRequest {
    const limit = this.limit();
    const after = this.cursor('starting_after');
    const before = this.cursor('ending_before');
    if (after !== null && before !== null)
      this.fault('ending_before', 'invalid', 'cannot be combined with starting_after');
    if (after !== null) return { limit, start: { kind: 'after', id: after } };
    if (before !== null) return { limit, start: { kind: 'before', id: before } };
    return { limit, start: { kind: 'newest' } };
  }

  done<Value>(value: Value): Result<Value, readonly FieldError[]> {
    for (const name of new Set(this.query.keys())) {
      if (!this.known.has(name)) {
        this.faults.push({
          field: name,
          code: 'unknown_parameter',
          message: `${name} is not a parameter of this request`,
        });
      }
    }
    return this.faults.length === 0 ? ok(value) : err(this.faults);
  }

  private limit(): number {
    const value = this.once('limit');
    if (value === null) return PAGE_LIMIT_DEFAULT;
    const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0;
    if (limit >= 1 && limit <= PAGE_LIMIT_MAX) return limit;
    this.fault('limit', 'invalid', `must be a whole number from 1 to ${PAGE_LIMIT_MAX}`);
    return PAGE_LIMIT_DEFAULT;
  }

  /** A cursor that no store could hold names nothing, like any other unknown one. */
  private cursor(name: string): string | null {
    const value = this.first(name);
    return value !== null && hasBadCharacters(value) ? NOTHING : value;
  }

  private once(name: string): string | null {
    const value = this.first(name);
    if (value !== null && hasBadCharacters(value)) this.fault(name, 'invalid', 'must not contain NUL characters');
    return value;
  }

  private first(name: string): string | null {
    this.known.add(name);
    const values = this.query.getAll(name);
    if (values.length > 1) this.fault(name, 'repeated', 'must be given at most once');
    return values[0] ?? null;
  }

  private fault(field: string, code: string, message: string): void {
    this.faults.push({ field, code, message: `${field} ${message}` });
  }
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

const NOTHING = '';
