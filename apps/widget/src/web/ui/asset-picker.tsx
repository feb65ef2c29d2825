import { useState } from 'preact/hooks';
import type { ChoiceName } from '../app/event.js';
import type { Send } from '../app/run.js';
import type { Asset } from '../app/screen.js';
import type { Messages } from '../i18n/en.js';
import { matchingAssets } from '../screens/order/matching-assets.js';
import { Coin } from './coin.js';
import { ChevronIcon, TickIcon } from './icons.js';
import { networkName } from './network-name.js';
import { Sheet } from './sheet.js';

interface AssetPickerProps {
  readonly of: ChoiceName;
  readonly label: string;
  readonly options: readonly (Asset & { readonly value: string })[];
  readonly chosen: string | null;
  readonly t: Messages;
  readonly send: Send;
}

/** Picks a token on a network in a searchable sheet. The button covers the box that it is in. */
export function AssetPicker({ of, label, options, chosen, t, send }: AssetPickerProps) {
  const [isOpen, setOpen] = useState(false);
  const current = options.find(({ value }) => value === chosen);
  return (
    <>
      <button
        id={of}
        type="button"
        class="picker"
        aria-label={current === undefined ? label : `${label}: ${current.token} ${onNetwork(current, t)}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {current !== undefined && <Coin code={current.token} network={current.network} />}
        <ChevronIcon />
      </button>
      {isOpen && (
        <Sheet title={label} t={t} onClose={() => setOpen(false)}>
          <Options
            options={options}
            chosen={chosen}
            t={t}
            onChoose={(value) => {
              setOpen(false);
              if (value !== chosen) send({ type: 'chose', of, value });
            }}
          />
        </Sheet>
      )}
    </>
  );
}

interface OptionsProps extends Pick<AssetPickerProps, 'options' | 'chosen' | 't'> {
  readonly onChoose: (value: string) => void;
}

function Options({ options, chosen, t, onChoose }: OptionsProps) {
  const [text, setText] = useState('');
  const found = matchingAssets(options, text);
  return (
    <>
      <input
        type="search"
        class="search"
        value={text}
        aria-label={t.search}
        placeholder={t.search}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Keeps Enter from submitting the form of the step.
          event.preventDefault();
          if (found[0] !== undefined) onChoose(found[0].value);
        }}
      />
      <ul class="options">
        {found.map((asset) => (
          <li key={asset.value}>
            <button
              type="button"
              class="option"
              aria-current={asset.value === chosen ? 'true' : undefined}
              onClick={() => onChoose(asset.value)}
            >
              <AssetLine asset={asset} t={t} />
              {asset.value === chosen && <TickIcon size={20} />}
            </button>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {found.length === 0 ? t.noMatch : t.networkNote}
      </p>
    </>
  );
}

const onNetwork = ({ network }: Asset, t: Messages): string => t.onNetwork(networkName(network));

function AssetLine({ asset, t }: { readonly asset: Asset; readonly t: Messages }) {
  const { token, network } = asset;
  return (
    <>
      <Coin code={token} network={network} isSmall />
      <span class="asset">
        <bdi class="asset-token">{token}</bdi> <span class="quiet">{onNetwork(asset, t)}</span>
      </span>
    </>
  );
}
