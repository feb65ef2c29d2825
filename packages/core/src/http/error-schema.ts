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
      description: 'For people: one text, or one for each field that failed. Never branch on it.',
    }),
    request_id: documented(z.string().regex(/^req_[0-9A-Za-z]{24}$/), { description: 'That of `X-Request-Id`.' }),
    doc_url: documented(z.string().nullable(), {
      description: 'What the code means and what to do: a path on the same host, or an absolute URL.',
    }),
    statusCode: z.int(),
    errors: documented(
      z
        .array(z.object({ field: z.string(), code: z.string(), message: z.string() }))
        .min(1)
        .optional(),
      { description: 'One entry for each field that failed; absent where none did.' },
    ),
  }),
  {
    id: 'Error',
    description: 'What every refusal answers, whatever was asked; branch on `code`.',
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
