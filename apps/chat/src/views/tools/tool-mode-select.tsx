import { TOOL_MODES, type ToolMode } from '@berth/contract/agent';
import { Select } from '@berth/web';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface ToolModeSelectProps {
  readonly name: string;
  readonly mode: ToolMode;
  onChange(mode: ToolMode): void;
}

/** Whether a tool runs, asks first, or is never offered. */
export function ToolModeSelect({ name, mode, onChange }: ToolModeSelectProps) {
  const { t } = useChatTexts();
  const options = TOOL_MODES.map((value) => ({ value, label: t(`tools.mode.${value}`) }));
  return (
    <Select
      className="w-32 shrink-0"
      {...{ label: t('tools.mode', { name }), isLabelHidden: true, value: mode, options, onChange }}
    />
  );
}
