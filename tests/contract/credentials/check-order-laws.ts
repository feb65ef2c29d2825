import {
  create,
  CREATE_BODY,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  inWorld,
  type Law,
} from '../kit.js';

const TOPIC = 'HTTP: order of checks';

/** A create request that faults modify. It is sent to the live host, where every fault can occur. */
interface Draft {
  path: string;
  exhausted: boolean;
  header: 'key' | 'none' | 'malformed';
  keyMode: 'test' | 'live';
  keyType: 'sk' | 'pk';
  keyLife: 'good' | 'unknown' | 'revoked';
  cleared: boolean;
  idempotencyKey: string | null;
  query: string;
  contentType: string;
  text: (json: string) => string;
  body: Record<string, unknown>;
}

interface Fault {
  readonly when: string;
  readonly status: number;
  readonly code: string;
  /** Faults of one slot exclude each other. */
  readonly slot: string;
  readonly bend: (draft: Draft) => void;
}

/** In the order of the contract's checks. */
const FAULTS: readonly Fault[] = [
  {
    when: 'an unknown route',
    status: 404,
    code: 'route_not_found',
    slot: 'route',
    bend: (draft) => void (draft.path = '/v1/gate_session'),
  },
  {
    when: 'a spent rate limit',
    status: 429,
    code: 'rate_limit_exceeded',
    slot: 'limit',
    bend: (draft) => void (draft.exhausted = true),
  },
  {
    when: 'no credential',
    status: 401,
    code: 'missing_credential',
    slot: 'header',
    bend: (draft) => void (draft.header = 'none'),
  },
  {
    when: 'a malformed credential',
    status: 401,
    code: 'malformed_credential',
    slot: 'header',
    bend: (draft) => void (draft.header = 'malformed'),
  },
  {
    when: 'a key of the other mode',
    status: 403,
    code: 'test_key_on_live',
    slot: 'mode',
    bend: (draft) => void (draft.keyMode = 'test'),
  },
  {
    when: 'a key of the wrong type',
    status: 403,
    code: 'wrong_key_type',
    slot: 'type',
    bend: (draft) => void (draft.keyType = 'pk'),
  },
  {
    when: 'an unknown key',
    status: 401,
    code: 'invalid_api_key',
    slot: 'life',
    bend: (draft) => void (draft.keyLife = 'unknown'),
  },
  {
    when: 'a revoked key',
    status: 401,
    code: 'revoked_api_key',
    slot: 'life',
    bend: (draft) => void (draft.keyLife = 'revoked'),
  },
  {
    when: 'a partner not cleared for live',
    status: 403,
    code: 'live_keys_not_allowed',
    slot: 'cleared',
    bend: (draft) => void (draft.cleared = false),
  },
  {
    when: 'no idempotency key',
    status: 400,
    code: 'idempotency_key_required',
    slot: 'idempotency',
    bend: (draft) => void (draft.idempotencyKey = null),
  },
  {
    when: 'an unusable idempotency key',
    status: 400,
    code: 'idempotency_key_invalid',
    slot: 'idempotency',
    bend: (draft) => void (draft.idempotencyKey = 'a b'),
  },
  {
    when: 'an unknown parameter',
    status: 400,
    code: 'unknown_parameter',
    slot: 'query',
    bend: (draft) => void (draft.query = '?expand=all'),
  },
  {
    when: 'too large a body',
    status: 413,
    code: 'body_too_large',
    slot: 'size',
    bend: (draft) => void (draft.body['metadata'] = 'x'.repeat(65_536)),
  },
  {
    when: 'a body that is not JSON',
    status: 415,
    code: 'unsupported_media_type',
    slot: 'media',
    bend: (draft) => void (draft.contentType = 'text/plain'),
  },
  {
    when: 'malformed JSON',
    status: 400,
    code: 'malformed_json',
    slot: 'json',
    bend: (draft) => void (draft.text = (json) => json.slice(0, -1)),
  },
  {
    when: 'an invalid field',
    status: 400,
    code: 'validation_failed',
    slot: 'field',
    bend: (draft) => void (draft.body['amount'] = '0'),
  },
  {
    when: 'an idempotency key used with another body',
    status: 422,
    code: 'idempotency_key_mismatch',
    slot: 'idempotency',
    bend: (draft) => void (draft.idempotencyKey = USED),
  },
  {
    when: 'a foreign return_url',
    status: 403,
    code: 'origin_not_allowed',
    slot: 'business',
    bend: (draft) => void (draft.body['return_url'] = 'https://foreign.example/'),
  },
];

const USED = 'used-with-another-body';

function keyText({ keyType, keyMode, keyLife }: Draft): string {
  return `${keyType}_${keyMode}_00000000000000order${keyLife}`;
}

async function sendDraft(world: HttpWorld, draft: Draft) {
  const { t } = world;
  await create(world, { user_reference: 'another' }, { mode: 'live', idempotencyKey: USED });
  const key = keyText(draft);
  if (draft.keyLife !== 'unknown') await t.gate.admin.addKey(t.partner.id, key);
  if (draft.keyLife === 'revoked') await t.gate.admin.revokeKey(key);
  await t.gate.admin.savePartner({ ...t.partner, liveEnabled: draft.cleared });
  for (let hit = 0; draft.exhausted && hit < 10; hit += 1)
    await world.send('POST', '/v1/gate_sessions', { mode: 'live' });
  return world.send('POST', `${draft.path}${draft.query}`, {
    mode: 'live',
    body: draft.text(JSON.stringify(draft.body)),
    ...(draft.idempotencyKey === null ? {} : { idempotencyKey: draft.idempotencyKey }),
    headers: {
      'content-type': draft.contentType,
      ...(draft.header === 'none' ? {} : { authorization: draft.header === 'key' ? `Bearer ${key}` : `Token ${key}` }),
    },
  });
}

function freshDraft(): Draft {
  return {
    path: '/v1/gate_sessions',
    exhausted: false,
    header: 'key',
    keyMode: 'live',
    keyType: 'sk',
    keyLife: 'good',
    cleared: true,
    idempotencyKey: 'never-used',
    query: '',
    contentType: 'application/json',
    text: (json) => json,
    body: { ...CREATE_BODY },
  };
}

export const checkOrderLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'a request that fails no check is answered 201', async (world) => {
    expectStatus(await sendDraft(world, freshDraft()), 201);
  }),
  ...FAULTS.map((first, index): Law<HttpSubject> => ({
    topic: TOPIC,
    title: `a request with ${first.when} and any later fault is answered ${first.status} ${first.code}`,
    run: async (subject) => {
      const later = FAULTS.slice(index + 1).filter((fault) => fault.slot !== first.slot);
      for (const second of [null, ...later]) {
        const draft = freshDraft();
        first.bend(draft);
        second?.bend(draft);
        const answer = await inWorld(subject, { rateLimits: 'on' }, (world) => sendDraft(world, draft));
        expectRefusal(answer, first.status, first.code);
      }
    },
  })),
];
