export { inProcessScheduler } from './in-process-scheduler.js';
export {
  KycVaultFull,
  memoryKycVault,
  type MemoryKycVault,
  type MemoryKycVaultOptions,
} from './vault/memory-kyc-vault.js';
export {
  memoryRateLimits,
  noRateLimits,
  type InstantRateLimits,
  type MemoryRateLimitsOptions,
} from './memory-rate-limits.js';
export { memoryStore, type MemoryStore } from './store/memory-store.js';
