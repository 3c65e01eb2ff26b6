import { IconButton, Menu } from '@berth/ui';
import { SlidersHorizontal } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { LogsLook } from '../state/logs-look.ts';

/** Props of {@link LookMenu}. */
export interface LookMenuProps {
  readonly look: LogsLook;
  onChange(look: LogsLook): void;
}

/** Menu of the display options for entries. */
export function LookMenu({ look, onChange }: LookMenuProps) {
  const { t } = useConsoleTexts();
  const toggle = (name: keyof LogsLook, label: string) => ({
    label,
    isChosen: look[name],
    onChoose: () => onChange({ ...look, [name]: !look[name] }),
  });
  return (
    <Menu
      trigger={<IconButton icon={SlidersHorizontal} label={t('logs.look')} />}
      items={[
        toggle('isWrapped', t('logs.look.wrap')),
        toggle('hasSeverity', t('logs.look.severity')),
        toggle('isUtc', t('logs.look.utc')),
      ]}
    />
  );
}
