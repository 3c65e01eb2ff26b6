import type { ToolDecision, ToolRisk } from '@berth/agent-core';
import type { ToolMode } from '@berth/contract/agent';

export interface ToolQuestion {
  /** The organization's switch. */
  readonly isSwitchedOn: boolean;
  /** The person's choice, if any. */
  readonly mode: ToolMode | undefined;
  /** False when the person wants to approve every write. */
  readonly auto: boolean;
  readonly risk: ToolRisk;
}

/** Decides whether a tool may be called. The first rule that applies wins. Source: docs/contract/agent-api.md §2, "Approvals". */
export function decideTool({ isSwitchedOn, mode, auto, risk }: ToolQuestion): ToolDecision {
  if (!isSwitchedOn || mode === 'never') return 'hide';
  if (mode === 'allow') return 'run';
  if (mode === 'ask' || risk === 'destructive') return 'ask';
  return risk === 'write' && !auto ? 'ask' : 'run';
}
