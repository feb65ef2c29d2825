import type { Instant } from '@gateramp/core/domain';
import type { Address } from 'viem';

import type { DepositKeys } from './deposit-addresses.js';
import type { Documents, Kinds, Measured, Write } from './documents.js';

/** The call that owns a deposit address. */
export interface Owner {
  readonly address: Address;
  readonly callId: string;
  readonly network: string;
  readonly createdAt: Instant;
}

/** An in-memory index of all deposit addresses in the store. */
export interface AddressBook {
  /** Loads the addresses that were added since the last refresh, in any process. */
  refresh(): Promise<void>;
  ownerOf(address: string): Owner | null;
  owners(): readonly Owner[];
  /**
   * The writes that give a call the next free index: the counter, the address and its index, to be committed together. Addresses that
   * were used before are skipped: after a restored backup they may be those of other buyers.
   */
  writesForNext(
    call: Omit<Owner, 'address'>,
    measure: (address: Address) => Promise<Measured | undefined>,
  ): Promise<readonly Write[]>;
}

const INDEX_DIGITS = 10;
/** How many used addresses are skipped for one call, whose buyer waits. */
const SKIPS_MAX = 20;

/** An address book of the documents in the store. */
export function addressBookOf(documents: Documents, keys: DepositKeys): AddressBook {
  const { fingerprint } = keys;
  const owners = new Map<string, Owner>();
  let newest: string | null = null;

  return {
    async refresh() {
      for (const { id, body } of await documents.all('evm_deposit_index', { after: newest })) {
        owners.set(body.address.toLowerCase(), body);
        if (id.startsWith(fingerprint)) newest = id;
      }
    },
    ownerOf: (address) => owners.get(address.toLowerCase()) ?? null,
    owners: () => [...owners.values()],
    async writesForNext({ callId, network, createdAt }, measure) {
      const counter =
        (await documents.load('evm_deposit_counter', fingerprint)) ??
        ({
          id: fingerprint,
          version: 0,
          status: 'active',
          dueAt: null,
          body: { next: 0 },
        } satisfies Kinds['evm_deposit_counter']);
      let index = counter.body.next;
      let address = keys.addressAt(index);
      let measured = await measure(address);
      for (let skips = 0; isUsed(measured) && skips < SKIPS_MAX; skips += 1) {
        index += 1;
        address = keys.addressAt(index);
        measured = await measure(address);
      }
      const fresh = { version: 0, status: 'watched' as const, dueAt: null };
      const body = { network, index, address, createdAt, deposits: [], reorged: [] };
      return [
        { kind: 'evm_deposit_counter', next: { ...counter, body: { next: index + 1 } } },
        {
          kind: 'evm_deposit',
          next: { ...fresh, id: callId, body: { ...body, ...(measured === undefined ? {} : { measured }) } },
        },
        {
          kind: 'evm_deposit_index',
          next: {
            ...fresh,
            id: `${fingerprint}:${String(index).padStart(INDEX_DIGITS, '0')}`,
            body: { callId, network, address, createdAt },
          },
        },
      ];
    },
  };
}

/** Whether something was there before the address is given out: coins, tokens or transactions of its own. */
function isUsed(measured: Measured | undefined): boolean {
  return measured !== undefined && (measured.nonce > 0 || Object.keys(measured.spent).length > 0);
}
