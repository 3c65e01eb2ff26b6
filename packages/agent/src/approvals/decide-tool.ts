import type { ToolDecision, ToolRisk } from '@berth/agent-core';
import type { ToolMode } from '@berth/contract/agent';

export interface ToolQuestion {
  /** The organisation's switch. */
  readonly isSwitchedOn: boolean;
  /** What the person chose; undefined when nothing. */
  readonly mode: ToolMode | undefined;
  /** False: the person wants to be asked before every write. */
  readonly auto: boolean;
  readonly risk: ToolRisk;
}

/** Whether a tool may be called. What comes first decides. Source: docs/contract/agent-api.md §2, "Approvals". */
export function decideTool({ isSwitchedOn, mode, auto, risk }: ToolQuestion): ToolDecision {
  if (!isSwitchedOn || mode === 'never') return 'hide';
  if (mode === 'allow') return 'run';
  if (mode === 'ask' || risk === 'destructive') return 'ask';
  return risk === 'write' && !auto ? 'ask' : 'run';
}
