import type { ToolMode } from '@berth/contract/agent';
import { Select } from '@berth/ui';
import { useChatTexts } from '../../text/use-chat-texts.ts';

// Repeated here because importing the contract's list loads all schemas.
const MODES: readonly ToolMode[] = ['allow', 'ask', 'never'];

export interface ToolModeSelectProps {
  readonly name: string;
  readonly mode: ToolMode;
  onChange(mode: ToolMode): void;
}

/** A select for the mode of a tool: it runs, asks for approval, or is never offered to the agent. */
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
