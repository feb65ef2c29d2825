import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { readAddress } from '../../address/read-address.js';
import type { FieldError, NameLookup, WalletField } from '../../app/screen.js';
import type { Send } from '../../app/run.js';
import { laterPart } from '../../host/later-part.js';
import { forgetAddresses, recentAddresses } from '../../host/recent-addresses.js';
import type { Messages } from '../../i18n/en.js';
import { Address, EndsToCheck, shortAddress } from '../../ui/address.js';
import { Coin } from '../../ui/coin.js';
import { Field } from '../../ui/field.js';
import { ScanIcon } from '../../ui/icons.js';
import { networkName } from '../../ui/network-name.js';
import type { Side } from '../../wire/types.js';

interface AddressFieldProps {
  readonly name: WalletField;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly error: FieldError | undefined;
  readonly lookup: NameLookup | undefined;
  /** The side of the quote that the address belongs to. */
  readonly side: Side | undefined;
  readonly kind: 'frame' | 'page';
  readonly t: Messages;
  readonly send: Send;
}

/** A field for an address, which can be typed, pasted, scanned or chosen from recent ones. Shows its ends for comparison. */
export function AddressField({ name, label, hint, value, error, lookup, side, kind, t, send }: AddressFieldProps) {
  const network = side?.network ?? null;
  const reading = readAddress(value, network);
  const theirs = /^another_network (.*)/.exec(error ?? '')?.[1];
  const enter = (text: string): void => {
    document.getElementById(name)?.focus();
    if (text === '') return;
    send({ type: 'typed', field: name, value: text });
    send({ type: 'left_field', field: name });
  };
  const confirm = (): void => {
    document.getElementById(name)?.focus();
    send({ type: 'name_confirmed', field: name });
  };
  return (
    <div class="address-field">
      {network !== null && (
        <p class="network-badge">
          <Coin code={side?.currency ?? ''} network={network} isSmall />
          <span>{t.onlyNetwork(side?.currency ?? '', networkName(network))}</span>
        </p>
      )}
      <Field
        name={name}
        label={label}
        hint={hint}
        value={value}
        error={error}
        errorText={theirs && t.anotherNetwork[name](networkName(theirs), networkName(network ?? ''))}
        t={t}
        send={send}
        input={{
          dir: 'ltr',
          spellcheck: false,
          autocomplete: 'off',
          autocapitalize: 'off',
          class: 'code',
        }}
        end={value === '' && kind === 'page' && <Shortcuts t={t} onText={enter} />}
      />
      <div role="status" class="lookup">
        {lookup !== undefined && <Lookup lookup={lookup} t={t} onConfirm={confirm} />}
      </div>
      {!('error' in reading) && <EndsToCheck address={reading.value} t={t} />}
      {value === '' && <Recent network={network} t={t} onChoose={enter} />}
    </div>
  );
}

interface LookupProps {
  readonly lookup: NameLookup;
  readonly t: Messages;
  readonly onConfirm: () => void;
}

/** The progress of a name look-up, or the address found. */
function Lookup({ lookup: { name, address }, t, onConfirm }: LookupProps) {
  if (address === null)
    return (
      <p class="hint">
        <span class="spinner" aria-hidden="true" /> {t.lookingUp(name)}
      </p>
    );
  return (
    <>
      <p>{t.nameFound(name)}</p>
      <Address address={address} />
      <button type="button" class="button" onClick={onConfirm}>
        {t.useAddress}
      </button>
    </>
  );
}

const scanner = laterPart(() => import('../../ui/scan-sheet.js'));

type ScanSheetType = ComponentType<{
  readonly t: Messages;
  readonly onFound: (text: string) => void;
  readonly onClose: () => void;
}>;

/** The paste and scan buttons, on the full page only: a frame has no access to the clipboard or the camera. */
function Shortcuts({ t, onText }: { readonly t: Messages; readonly onText: (text: string) => void }) {
  const [Scan, setScan] = useState<{ readonly view: ScanSheetType } | null>(null);
  const mayPaste = 'clipboard' in navigator && 'readText' in navigator.clipboard;
  const mayScan = 'BarcodeDetector' in window && 'mediaDevices' in navigator;
  // If the browser denies access, the focus stays in the field for pasting manually.
  const paste = async (): Promise<void> => onText((await navigator.clipboard.readText().catch(() => '')).trim());
  // If the scanner cannot be fetched, another press tries again.
  const scan = async (): Promise<void> => {
    const part = await scanner.load().catch(() => null);
    if (part !== null) setScan({ view: part.ScanSheet });
  };
  return (
    <span class="in-field">
      {mayPaste && (
        <button type="button" onClick={() => void paste()}>
          {t.paste}
        </button>
      )}
      {mayScan && (
        <button type="button" aria-label={t.scan} onClick={() => void scan()}>
          <ScanIcon />
        </button>
      )}
      {Scan !== null && (
        <Scan.view
          t={t}
          onClose={() => setScan(null)}
          onFound={(text) => {
            setScan(null);
            onText(text);
          }}
        />
      )}
    </span>
  );
}

interface RecentProps {
  readonly network: string | null;
  readonly t: Messages;
  readonly onChoose: (address: string) => void;
}

/** The addresses stored on this device, with a button to delete them. */
function Recent({ network, t, onChoose }: RecentProps) {
  const [recent, setRecent] = useState(recentAddresses);
  const usable = recent.filter((one) => one.network === network);
  if (usable.length === 0) return null;
  const forget = (): void => {
    forgetAddresses();
    setRecent([]);
  };
  return (
    <div class="recent">
      <p class="hint">{t.recent}</p>
      {usable.map(({ address }) => (
        <button key={address} type="button" class="option" title={address} onClick={() => onChoose(address)}>
          <bdi dir="ltr" class="address">
            {shortAddress(address)}
          </bdi>
        </button>
      ))}
      <button type="button" class="link" onClick={forget}>
        {t.forget}
      </button>
    </div>
  );
}
