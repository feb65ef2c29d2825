import * as z from 'zod';
import { ERROR_CODES } from '../domain/error-code.js';
import { ERROR_TYPES } from './errors.js';
import { documented } from './schema/documented.js';

/** The envelope of every refusal, the same for all (spec: Errors). */
export const ERROR = documented(
  z.object({
    type: z.enum(ERROR_TYPES),
    code: z.enum(ERROR_CODES),
    message: documented(z.union([z.string(), z.array(z.string())]), {
      description: 'Human-readable: one message, or one per failed field. Never branch on it.',
    }),
    request_id: documented(z.string().regex(/^req_[0-9A-Za-z]{24}$/), { description: 'The value of `X-Request-Id`.' }),
    doc_url: documented(z.string().nullable(), {
      description: 'What the code means and what to do: a path on the same host, or an absolute URL.',
    }),
    statusCode: z.int(),
    errors: documented(
      z
        .array(z.object({ field: z.string(), code: z.string(), message: z.string() }))
        .min(1)
        .optional(),
      { description: 'One entry per failed field; absent if no field failed.' },
    ),
  }),
  {
    id: 'Error',
    description: 'The body of every error response. Branch on `code`.',
    examples: [
      {
        type: 'not_found',
        code: 'session_not_found',
        message: 'There is no such session for this key.',
        request_id: 'req_4fQ9bTzW1kLmX7cVn2RsAb3D',
        doc_url: '/docs#session_not_found',
        statusCode: 404,
      },
    ],
  },
);
