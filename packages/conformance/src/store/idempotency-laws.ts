import assert from 'node:assert/strict';
import { emptyChange, type Change, type IdempotencyWrite } from '@gateramp/core/ports';
import type { Scope } from '@gateramp/core';
import type { Instant } from '@gateramp/core/domain';
import { ACME, ACME_LIVE, BOLT, T0, aHash } from '../builders.js';
import { aKeyUse, claim, seal, sessionCreation, start } from '../changes.js';
import { commit, storeTopic } from './store-subject.js';

const RETENTION = 86_400_000;
const EXPIRES = T0 + RETENTION;
const WORK = { resourceId: 'intent-1', taskId: 'task-1' };

function use(idempotency: IdempotencyWrite, now: Instant = T0, scope: Scope = ACME): Change {
  return { ...emptyChange(scope, now), idempotency };
}

export const idempotencyLaws = storeTopic('Store: idempotency keys', {
  async 'replays the first reply to the same request, byte for byte, every time'(store) {
    const ref = aKeyUse();
    const reply = 'c2VhbGVk+/==  \u{1F600} "quoted"\n';
    await commit(store, use(claim(ref, reply, EXPIRES)));
    for (const again of ['second', 'third']) {
      assert.deepEqual(await store.commit(use(claim(ref, again, EXPIRES))), { kind: 'replay', reply });
    }
  },

  async 'returns key_mismatch to another request with a used key, sealed or started'(store) {
    const [sealed, started] = [aKeyUse(), aKeyUse()];
    await commit(store, use(claim(sealed, 'reply', EXPIRES)), use(start(started, WORK, EXPIRES)));
    for (const ref of [sealed, started]) {
      const other = { ...ref, fingerprint: aHash() };
      assert.deepEqual(await store.commit(use(claim(other, 'other', EXPIRES))), { kind: 'key_mismatch' });
      assert.deepEqual(await store.findReply(other, T0), { kind: 'key_mismatch' });
      assert.deepEqual(await store.commit(use(seal(other, 'other', EXPIRES))), { kind: 'key_mismatch' });
    }
  },

  async 'returns in_progress with the resource and the task while a key is started'(store) {
    const ref = aKeyUse();
    await commit(store, use(start(ref, WORK, EXPIRES)));
    const expected = { kind: 'in_progress', ...WORK };
    assert.deepEqual(await store.commit(use(claim(ref, 'again', EXPIRES))), expected);
    assert.deepEqual(await store.commit(use(start(ref, { resourceId: 'other', taskId: 'other' }, EXPIRES))), expected);
    assert.deepEqual(await store.findReply(ref, T0), expected);
  },

  async 'seals a started key, whose reply is replayed from then on'(store) {
    const ref = aKeyUse();
    await commit(store, use(start(ref, WORK, EXPIRES)), use(seal(ref, 'original', EXPIRES)));
    assert.deepEqual(await store.findReply(ref, T0), { kind: 'replay', reply: 'original' });
    assert.deepEqual(await store.commit(use(claim(ref, 'again', EXPIRES))), { kind: 'replay', reply: 'original' });
  },

  async 'never replaces a sealed reply'(store) {
    const ref = aKeyUse();
    await commit(store, use(start(ref, WORK, EXPIRES)), use(seal(ref, 'original', EXPIRES)));
    const { session, change } = sessionCreation();
    const late = { ...change, idempotency: seal(ref, 'later', EXPIRES) };
    assert.deepEqual(await store.commit(late), { kind: 'replay', reply: 'original' });
    assert.equal(await store.find('session', ACME, session.id), null);
    assert.deepEqual(await store.findReply(ref, T0), { kind: 'replay', reply: 'original' });
  },

  async 'seals a key that has expired since it was started'(store) {
    const ref = aKeyUse();
    await commit(store, use(start(ref, WORK, EXPIRES)), use(seal(ref, 'late', EXPIRES + RETENTION), EXPIRES + 1));
    assert.deepEqual(await store.findReply(ref, EXPIRES + 1), { kind: 'replay', reply: 'late' });
  },

  async 'replaces an expired reply, and replays the new one from then on'(store) {
    const ref = aKeyUse();
    await commit(store, use(claim(ref, 'old', EXPIRES)));
    assert.deepEqual(await store.commit(use(seal(ref, 'new', EXPIRES + RETENTION), EXPIRES)), {
      kind: 'replay',
      reply: 'old',
    });
    await commit(store, use(seal(ref, 'new', EXPIRES + RETENTION), EXPIRES + 1));
    assert.deepEqual(await store.findReply(ref, EXPIRES + RETENTION), { kind: 'replay', reply: 'new' });
  },

  async 'keeps a sealed reply until the expiry of the seal, not that of the start'(store) {
    const ref = aKeyUse();
    await commit(store, use(start(ref, WORK, EXPIRES)), use(seal(ref, 'reply', EXPIRES + RETENTION)));
    assert.deepEqual(await store.findReply(ref, EXPIRES + RETENTION), { kind: 'replay', reply: 'reply' });
    assert.equal(await store.findReply(ref, EXPIRES + RETENTION + 1), null);
  },

  async 'keeps a key at the instant it expires and frees it a millisecond later'(store) {
    const ref = aKeyUse();
    await commit(store, use(claim(ref, 'first', EXPIRES)));
    assert.deepEqual(await store.findReply(ref, EXPIRES), { kind: 'replay', reply: 'first' });
    assert.deepEqual(await store.commit(use(claim(ref, 'second', EXPIRES + RETENTION), EXPIRES)), {
      kind: 'replay',
      reply: 'first',
    });
    assert.equal(await store.findReply(ref, EXPIRES + 1), null);
    await commit(store, use(claim(ref, 'second', EXPIRES + RETENTION), EXPIRES + 1));
    assert.deepEqual(await store.findReply(ref, EXPIRES + 1), { kind: 'replay', reply: 'second' });
  },

  async 'lets another request use an expired key'(store) {
    const ref = aKeyUse();
    const other = { ...ref, fingerprint: aHash() };
    await commit(
      store,
      use(claim(ref, 'first', EXPIRES)),
      use(claim(other, 'second', EXPIRES + RETENTION), EXPIRES + 1),
    );
    assert.deepEqual(await store.findReply(ref, EXPIRES + 1), { kind: 'key_mismatch' });
  },

  async 'accepts a key once per scope: the same key of another partner, mode or session is free'(store) {
    const ref = aKeyUse();
    await commit(store, use(claim(ref, 'acme', EXPIRES)));
    const others: readonly (readonly [owner: Scope, more: string])[] = [
      [ACME_LIVE, ''],
      [BOLT, ''],
      [ACME, '/session-1'],
    ];
    for (const [owner, more] of others) {
      const scope = `${owner.partnerId}/${owner.mode}${more}`;
      const other = { ...ref, scope };
      assert.equal(await store.findReply(other, T0), null);
      await commit(store, use(claim(other, scope, EXPIRES), T0, owner));
      assert.deepEqual(await store.findReply(other, T0), { kind: 'replay', reply: scope });
    }
    assert.deepEqual(await store.findReply(ref, T0), { kind: 'replay', reply: 'acme' });
  },

  async 'leaves a key free that was only looked up'(store) {
    const ref = aKeyUse();
    assert.equal(await store.findReply(ref, T0), null);
    assert.equal(await store.findReply(ref, T0), null);
    await commit(store, use(claim(ref, 'reply', EXPIRES)));
  },
});
