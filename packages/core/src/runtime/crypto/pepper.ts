import { randomBytes } from 'node:crypto';
import type { Settings } from '../../ports/store.js';
import type { MasterKeys } from './master-keys.js';

const SETTING = 'pepper';
const PEPPER_BYTES = 32;

/**
 * The installation's secret, made once by whichever process comes first and kept sealed (`docs/spec-notes.md` C1).
 * Opened with an old master key it is sealed under the present one; the pepper stays, so no hash changes.
 */
export async function openPepper(settings: Settings, keys: MasterKeys): Promise<Buffer> {
  const stored = (await settings.readSetting(SETTING)) ?? (await makePepper(settings, keys));
  const { plain, underPresentKey } = keys.open(SETTING, stored);
  // Losing this race is fine: the winner sealed the same pepper.
  if (!underPresentKey) await settings.swapSetting(SETTING, stored, keys.seal(SETTING, plain));
  return plain;
}

/** Answers with the pepper in force, ours or that of a process that was faster. */
function makePepper(settings: Settings, keys: MasterKeys): Promise<string> {
  return settings.swapSetting(SETTING, null, keys.seal(SETTING, randomBytes(PEPPER_BYTES)));
}
