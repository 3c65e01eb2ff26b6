import type { AgentClient } from '@berth/client';
import type { UiFrame, WaitingApproval } from '@berth/contract/agent';
import type { Context } from '../context.ts';
import { cleanText } from '../output/clean-text.ts';

/** A tool that asks before it does something. */
export interface Confirmation {
  readonly key: string;
  /** What it would do, in words. */
  readonly label: string;
  readonly args: string;
}

const ARGS_CHARACTERS = 1_000;

export function confirmationsOf(asked: readonly UiFrame[]): readonly Confirmation[] {
  return asked
    .filter((frame) => frame.action === 'confirm' && typeof frame['key'] === 'string')
    .map((frame) => toConfirmation(frame as Partial<WaitingApproval>));
}

export function toConfirmation({ key, label, tool, args = {} }: Partial<WaitingApproval>): Confirmation {
  const json = JSON.stringify(args);
  return {
    key: String(key),
    label: cleanText(String(label ?? tool ?? 'a tool')).replaceAll('\n', ' '),
    args: cleanText(json.length > ARGS_CHARACTERS ? `${json.slice(0, ARGS_CHARACTERS)}…` : json),
  };
}

/** Puts each to the person and tells the agent; true when anything may be done now. */
export async function askApprovals(
  agent: AgentClient,
  chatId: string,
  confirmations: readonly Confirmation[],
  { output, prompts }: Pick<Context, 'output' | 'prompts'>,
): Promise<boolean> {
  const style = output.progressStyle;
  let isAnyAllowed = false;
  for (const { key, label, args } of confirmations) {
    output.say(`${style.yellow(style.signs.warning)} ${style.bold(label)} ${style.dim(args)}`);
    const answer = (await prompts.line('  Allow? [y]es, [a]lways, [N]o: '))?.trim().toLowerCase() ?? '';
    const decision = /^a(lways)?$/.test(answer) ? 'always' : /^y(es)?$/.test(answer) ? 'approve' : 'deny';
    await agent.decide(chatId, key, decision);
    isAnyAllowed ||= decision !== 'deny';
  }
  return isAnyAllowed;
}
