import type { ToolMode } from '@berth/contract/agent';
import { Select } from '@berth/ui';
import { useChatTexts } from '../../text/use-chat-texts.ts';

// Not the contract's list, which comes with all of its schemas.
const MODES: readonly ToolMode[] = ['allow', 'ask', 'never'];

export interface ToolModeSelectProps {
  readonly name: string;
  readonly mode: ToolMode;
  onChange(mode: ToolMode): void;
}

/** Whether a tool runs, asks first, or is never offered. */
export function ToolModeSelect({ name, mode, onChange }: ToolModeSelectProps) {
  const { t } = useChatTexts();
  const options = MODES.map((value) => ({ value, label: t(`tools.mode.${value}`) }));
  return (
    <Select
      className="w-32 shrink-0"
      {...{ label: t('tools.mode', { name }), isLabelHidden: true, value: mode, options, onChange }}
    />
  );
}
