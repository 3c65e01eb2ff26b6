import { Combobox } from '@base-ui/react/combobox';
import { INPUT_CLASS } from '@berth/ui';
import { ChevronsUpDown } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

interface DeploymentPickerProps {
  readonly value: string;
  readonly names: readonly string[];
  onChange(name: string): void;
}

/** Maximum number of matches shown; an account may have ten thousand deployments. */
const SHOWN_MOST = 50;

/** Combobox that selects a deployment by a part of its name. */
export function DeploymentPicker({ value, names, onChange }: DeploymentPickerProps) {
  const { t } = useConsoleTexts();
  return (
    <Combobox.Root
      items={names}
      value={value}
      limit={SHOWN_MOST}
      autoHighlight
      onValueChange={(name) => name !== null && name !== value && onChange(name)}
    >
      <div className="relative w-64 max-sm:w-full" dir="ltr">
        <Combobox.Input
          aria-label={t('logs.deployment')}
          title={value}
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
          className={`${INPUT_CLASS} truncate pe-8`}
        />
        <Combobox.Trigger aria-label={t('logs.deployment')} className="absolute inset-y-0 end-0 px-2.5" tabIndex={-1}>
          <ChevronsUpDown aria-hidden className="size-3.5 text-ink-soft" />
        </Combobox.Trigger>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-50">
          <Combobox.Popup
            dir="ltr"
            className="pop max-h-(--available-height) w-72 max-w-(--available-width) overflow-y-auto p-1"
          >
            <Combobox.Empty className="px-2 text-ink-soft not-empty:py-1">{t('parts.paletteEmpty')}</Combobox.Empty>
            <Combobox.List>
              {(name: string) => (
                <Combobox.Item
                  key={name}
                  value={name}
                  title={name}
                  className="truncate rounded px-2 py-1 max-sm:py-2 data-highlighted:bg-hover data-selected:font-medium"
                >
                  {name}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
