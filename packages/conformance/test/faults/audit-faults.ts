import { emptyChange, type Store } from '@gateramp/core/ports';
import { overStore } from './over.js';

/** Mistakes with the audit trail, over any store. */
export const auditFaults = {
  'a change committed before its audit entries': (inner: Store) =>
    overStore(inner, {
      async commit(change) {
        const outcome = await inner.commit({ ...change, audit: null });
        const audit = { ...emptyChange(change.scope, change.now), audit: change.audit };
        return outcome.kind === 'committed' ? inner.commit(audit) : outcome;
      },
    }),

  'audit entries kept of a refused change': (inner: Store) =>
    overStore(inner, {
      async commit(change) {
        const outcome = await inner.commit(change);
        if (outcome.kind === 'insufficient')
          await inner.commit({ ...emptyChange(change.scope, change.now), audit: change.audit });
        return outcome;
      },
    }),

  'a key saved before its audit entries': (inner: Store) =>
    overStore(inner, {
      save: {
        key: async (key, audit) => {
          await inner.save('key', key);
          return audit === null ? 'saved' : inner.save('key', key, audit);
        },
      },
    }),

  'an audit page that begins with the last entry of the page before': (inner: Store) =>
    overStore(inner, {
      listAudit: (request) =>
        inner.listAudit({ ...request, beyond: request.beyond === null ? null : request.beyond - 1 }),
    }),

  'audit entries listed regardless of their actor': (inner: Store) =>
    overStore(inner, { listAudit: (request) => inner.listAudit({ ...request, actor: null }) }),

  'audit entries of both modes hidden in each': (inner: Store) =>
    overStore(inner, {
      listAudit: async (request) =>
        (await inner.listAudit(request)).filter(({ mode }) => request.mode === null || mode === request.mode),
    }),

  'audit entries listed with the next instant': (inner: Store) =>
    overStore(inner, {
      listAudit: (request) => inner.listAudit({ ...request, to: request.to === null ? null : request.to + 1 }),
    }),
};
