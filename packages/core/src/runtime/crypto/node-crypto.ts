import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../domain/mode.js';
import type { Crypto, KeySeal } from '../../ports/crypto.js';
import type { Settings } from '../../ports/store.js';
import { embedTokens, type EmbedTokens } from './embed-tokens.js';
import { MASTER_KEY_BYTES, type MasterKeys, masterKeys, purposeKeys, type PurposeKeys } from './master-keys.js';
import { type RandomBytes, randomPool, seal, unseal } from './sealed-box.js';

const SETTING = 'pepper';
const PEPPER_BYTES = 32;

/**
 * Loads the installation's secret, which the first process creates and stores encrypted (`docs/spec-notes.md` C1). If an old master key
 * decrypts it, it is encrypted again with the current one. The pepper itself never changes, so hashes stay valid.
 */
async function openPepper(settings: Settings, keys: MasterKeys): Promise<Buffer> {
  const stored = (await settings.readSetting(SETTING)) ?? (await makePepper(settings, keys));
  const { plain, isCurrentKey } = keys.open(SETTING, stored);
  // Another process may win this race; it stored the same pepper.
  if (!isCurrentKey) await settings.swapSetting(SETTING, stored, keys.seal(SETTING, plain));
  return plain;
}

/** Returns the stored pepper, which may be that of a faster process. */
function makePepper(settings: Settings, keys: MasterKeys): Promise<string> {
  return settings.swapSetting(SETTING, null, keys.seal(SETTING, randomBytes(PEPPER_BYTES)));
}

/** The master keys. */
export interface NodeCryptoOptions {
  /** 32 bytes. Null generates a random key, suitable only if the settings live no longer than this process. */
  readonly masterKey: Uint8Array | null;
  /** Former master keys, used only to decrypt. */
  readonly oldMasterKeys?: readonly Uint8Array[];
}

/** Everything derived from the pepper. */
interface Installation {
  readonly purposes: PurposeKeys;
  readonly keySeals: KeySeals;
  readonly tokens: EmbedTokens;
}

/** `Crypto` with Node's primitives and jose. Throws if a master key does not have 32 bytes. */
export function nodeCrypto({ masterKey, oldMasterKeys = [] }: NodeCryptoOptions): Crypto {
  const random = randomPool();
  const keys = masterKeys(masterKey ?? randomBytes(MASTER_KEY_BYTES), oldMasterKeys, random);
  let installation: Installation | null = null;

  function opened(): Installation {
    if (installation === null) throw new Error('Await crypto.open(settings) before hashing, sealing or signing.');
    return installation;
  }

  return {
    async open(settings) {
      const purposes = purposeKeys(await openPepper(settings, keys));
      const tokens = await embedTokens(purposes('embed-token'));
      installation = { purposes, keySeals: keySeals(purposes('idempotency-key'), random), tokens };
    },
    hash: (text) => hash('sha256', text, 'hex'),
    keyedHash: (purpose, text) => hmacHex(opened().purposes(`hash/${purpose}`), text),
    hmacHex,
    equal: (a, b) => timingSafeEqual(digest(a), digest(b)),
    keySeal: (scope, idempotencyKey) => opened().keySeals(scope, idempotencyKey),
    sealSecret: (plain, owner) => keys.seal('secret', plain, ownerText(owner)),
    openSecret: (sealed, owner) => keys.open('secret', sealed, ownerText(owner)).plain.toString('utf8'),
    signToken: async (claims, issuedAt, expiresAt) => opened().tokens.sign(claims, issuedAt, expiresAt),
    verifyToken: async (token, now) => opened().tokens.verify(token, now),
  };
}

/** The mode comes first, because hosts choose partner ids freely. */
function ownerText(owner: Scope | undefined): string | null {
  return owner === undefined ? null : `${owner.mode}/${owner.partnerId}`;
}

function hmacHex(key: string | Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Hashing equalizes the lengths, so the comparison does not reveal them. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

type KeySeals = (scope: string, idempotencyKey: string) => KeySeal;

/**
 * Derives everything for one idempotency key with a single HMAC: input under a secret root needs no stretching, and HKDF costs three times
 * as much. `root` is derived from the pepper for this purpose only.
 */
function keySeals(root: Uint8Array, random: RandomBytes): KeySeals {
  return (scope, idempotencyKey) => {
    // The length prefix makes the encoding of scope and key unambiguous.
    const derived = createHmac('sha512', root).update(`${scope.length}:${scope}${idempotencyKey}`).digest();
    const name = derived.toString('hex', 0, 16);
    const key = derived.subarray(16, 48);
    const fingerprintKey = derived.toString('hex', 48, 64);
    return {
      hash: name,
      // A secret prefix is sufficient here: it is as long as a key, and digests are only stored in our own rows.
      fingerprint: (text) => hash('sha256', `${fingerprintKey}\n${text}`, 'hex'),
      seal: (text, fingerprint) => seal(key, text, associated(scope, name, fingerprint), random),
      open: (sealed, fingerprint) =>
        unseal(key, sealed, associated(scope, name, fingerprint))?.toString('utf8') ?? null,
    };
  };
}

/** Length prefixes make the encoding of the parts unambiguous. */
function associated(scope: string, name: string, fingerprint: string): string {
  return `${scope.length}:${name.length}:${scope}${name}${fingerprint}`;
}
