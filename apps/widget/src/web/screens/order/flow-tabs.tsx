import type { Send } from '../../app/run.js';
import type { Messages } from '../../i18n/en.js';
import type { Flow } from '../../wire/types.js';

interface FlowTabsProps {
  readonly flows: readonly Flow[];
  readonly chosen: Flow;
  readonly t: Messages;
  readonly send: Send;
}

/** The flows to choose from: radio buttons styled as tabs, with the browser's own arrow-key navigation. */
export function FlowTabs({ flows, chosen, t, send }: FlowTabsProps) {
  return (
    <fieldset class="tabs">
      <legend class="unseen">{t.tabs}</legend>
      {flows.map((flow) => (
        <label key={flow} class="tab">
          <input
            type="radio"
            name="flow"
            value={flow}
            checked={flow === chosen}
            onChange={() => send({ type: 'chose_flow', flow })}
          />
          <span>{t.flow[flow]}</span>
        </label>
      ))}
    </fieldset>
  );
}
