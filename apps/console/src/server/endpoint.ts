import type { Scope } from '@gateramp/core';
import type { Result } from 'neverthrow';
import type * as z from 'zod';
import type { Gate } from './gate.js';
import type { ConsoleAlarms } from './alarms-port.js';
import type { Refusal } from './refusal.js';
import type { CookieKind } from './cookie.js';
import type { ConsoleLegs } from './legs-port.js';
import type { Needs, Role } from './roles.js';
import type { Doors, PasskeyCeremonies } from './sign-in.js';
import type { OpenStreams } from './open-streams.js';
import type { Visitor } from './visitor.js';

type Approval = NonNullable<Awaited<ReturnType<Gate['console']['approvals']['find']>>>;

type Methods = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What the host gives the console, for every endpoint. */
export interface Served {
  readonly gate: Gate;
  readonly cookie: CookieKind;
  readonly doors: () => Doors | Promise<Doors>;
  readonly passkeys: PasskeyCeremonies | null;
  /** The URL of the page that previews a branding; null if not configured. */
  readonly checkoutPreview: string | null;
  /** Null if the host has none. */
  readonly legs: ConsoleLegs | null;
  /** Null if the host does not evaluate its alarms. */
  readonly alarms: ConsoleAlarms | null;
}

/** The input of every endpoint. What `admin`, `door` and `calls` change is recorded with the visitor and the reason. */
interface Called<Query, Body> extends Served {
  readonly admin: Gate['admin'];
  readonly door: Gate['console'];
  readonly calls: Pick<Gate, 'sessions' | 'transactions' | 'events' | 'webhooks' | 'branding' | 'testClock'>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The path as sent, for the `url` of lists. */
  readonly path: string;
  /** The token of the session cookie; null if the host's `authorize` let the visitor in. */
  readonly token: string | null;
  readonly origin: string;
  /** The OpenAPI document of the whole table. */
  readonly openApi: () => string;
  readonly signal: AbortSignal;
  /** Whether the visitor still has the access with which the call began; for streams. */
  readonly isStillIn: () => Promise<boolean>;
  /** Who is signed in, also for endpoints without a visitor. */
  readonly current: () => Promise<Visitor | null>;
  readonly streams: OpenStreams;
  /** Why, if the body says so. */
  readonly reason: string | null;
  /** The approval by a second person with which this change is made; null without one. */
  readonly approvalId: string | null;
  /** Executes an approved change on behalf of its requester. */
  readonly perform: (approval: Approval) => Promise<Result<Answer, Refusal>>;
}

/** What is known of a change before it is made. */
export interface Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly scope: Scope | null;
  readonly legs: ConsoleLegs | null;
}

/** How a second person takes part in a change of live mode. */
export interface SecondPerson<Body> {
  /** Whether only the requester can collect the result, such as the text of a key. */
  readonly isCollected: boolean;
  /** Whether this change requires a second person; all changes by default. */
  readonly isRequired?: (call: { readonly admin: Gate['admin']; readonly body: Body } & Asked) => Promise<boolean>;
  /** The scope that an operator's change concerns, if it exists; the partner's own users do not see the request. */
  readonly about?: (asked: Asked) => Promise<Scope | null>;
  /** Refuses a change that cannot be made before it is stored for approval. */
  readonly check?: (call: { readonly admin: Gate['admin']; readonly body: Body } & Asked) => Promise<Refusal | null>;
}

/** What an endpoint of each audience knows of its caller. */
interface Callers {
  readonly public: { readonly visitor: null; readonly scope: null };
  readonly visitor: { readonly visitor: Visitor; readonly scope: null };
  readonly partner: { readonly visitor: Visitor; readonly scope: Scope };
  readonly operators: { readonly visitor: Visitor; readonly scope: null };
  readonly installation: { readonly visitor: Visitor; readonly scope: null };
}

/**
 * `public`: everyone. `visitor`: everyone who is signed in. `partner`: the same, about one partner and mode. `operators`: operators,
 * about the partners that they see. `installation`: operators of all partners, about what belongs to none of them.
 */
export type Audience = keyof Callers;

/** A JSON answer, or a response that is something else. */
export type Answer = { readonly json: unknown; readonly headers?: Readonly<Record<string, string>> } | Response;

/** A schema of `/v1` by its name, and the members that the console adds. */
export interface Extended {
  readonly extends: string;
  readonly members: z.ZodObject;
}

export interface Endpoint<For extends Audience, Query, Body> {
  /** The `operationId` of the OpenAPI document. */
  readonly name: string;
  readonly method: Methods;
  /** Below `/console/v1`, with `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly audience: For;
  /** The lowest role; without an entry for each mode an endpoint does not compile. Null: none, for endpoints without a visitor. */
  readonly needs: For extends 'public' ? null : For extends 'partner' ? Needs : Role;
  /** When a change must give a `reason`. `never`: it changes nothing that is administered. */
  readonly reason: 'never' | 'live' | 'always';
  /** How a second person must approve the change in live mode; omitted if one person can make it. */
  readonly secondPerson?: SecondPerson<Body>;
  /** Whether this body asks only what would happen, which needs no reason. */
  readonly isPreview?: (body: Body) => boolean;
  /** The operation of `/v1` that it mirrors: its parameters and its reply are those. */
  readonly mirrors?: string;
  /** Null: the query of the mirrored operation, or none. */
  readonly query: z.ZodType<Query> | null;
  /** `mirrored`: that of the mirrored operation, which the gate checks. Null: none. `reason` is added to it. */
  readonly body: z.ZodObject | 'mirrored' | null;
  /** The content type of a reply that is a stream instead of JSON; the schema describes one message. */
  readonly contentType?: 'text/event-stream';
  /** A schema, or one of `/v1` with more members. Null: that of the mirrored operation, or none (204). */
  readonly reply: z.ZodType | Extended | null;
  readonly success: 200 | 201 | 202 | 204;
  readonly run: (call: Called<Query, Body> & Callers[For]) => Promise<Result<Answer, Refusal>>;
}

/** An endpoint with its types checked and erased, as stored in the table. */
export type AnyEndpoint = Endpoint<Audience, unknown, unknown>;

type Given<For extends Audience, Query, Schema extends AnyEndpoint['body']> = Omit<
  Endpoint<For, Query, BodyOf<Schema>>,
  'body'
> & { readonly body: Schema };

type BodyOf<Schema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends 'mirrored'
    ? Readonly<Record<string, never>>
    : null;

/** Checks an endpoint against its own declaration. */
export function endpoint<
  const For extends Audience,
  Query = Readonly<Record<string, string>>,
  const Schema extends AnyEndpoint['body'] = null,
>(declared: Given<For, Query, Schema>): AnyEndpoint {
  // The dispatcher calls `run` with exactly what its audience, query and body declare.
  return declared as unknown as AnyEndpoint;
}
