import type * as z from 'zod';
import { documented } from './documented.js';

/** A resource on the wire: the name clients know it by, its schema, which says what it is, and one that could be. */
export interface WireType<Shape> {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly example: Shape;
}

/**
 * Ties a schema to the type its renderer satisfies: `wireType<GateSession>()('GateSession', z.object({…}), { description, example })`
 * compiles only while the two say the same, member by member. The description is the sentence that the document, its page and the SDKs
 * show of it.
 */
export function wireType<Shape>() {
  return <Schema extends z.ZodType>(
    name: string,
    schema: Schema & SaysTheSame<z.output<Schema>, Shape>,
    { description, example }: { readonly description: string; readonly example: Shape },
  ): WireType<Shape> => ({ name, schema: documented(schema, { id: name, description, examples: [example] }), example });
}

type SaysTheSame<Said, Shape> = [Plain<Said>] extends [Plain<Shape>]
  ? [Plain<Shape>] extends [Plain<Said>]
    ? unknown
    : { readonly 'the schema is narrower than the type': Shape }
  : { readonly 'the schema is wider than the type': Shape };

/** Without what a schema cannot say: whether a member may be assigned to. */
type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : { readonly [Key in keyof T]: Plain<T[Key]> };
