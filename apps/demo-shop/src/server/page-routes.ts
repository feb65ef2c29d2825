import type { FastifyPluginAsync } from 'fastify';
import type { PageFile } from './page-files.js';

export function pageRoutes(files: ReadonlyMap<string, PageFile>): FastifyPluginAsync {
  return async (app) => {
    for (const [path, { type, text }] of files) app.get(path, async (_request, reply) => reply.type(type).send(text));
  };
}
