import type { AgentClient } from '@berth/client';
import type { UiFrame, WaitingApproval } from '@berth/contract/agent';
import type { Context } from '../command/context.ts';
import { cleanText } from '../output/clean-text.ts';

/** A tool call that needs approval. */
export interface Confirmation {
  readonly key: string;
  /** What the call would do, in words. */
  readonly label: string;
  readonly args: string;
  /** The tool and its connector, independent of the label. */
  readonly tool: string;
}

const ARGS_CHARACTERS = 1_000;

/** Returns the approvals that a turn waits for. */
export function confirmationsOf(asked: readonly UiFrame[]): readonly Confirmation[] {
  return asked
    .filter((frame) => frame.action === 'confirm' && typeof frame['key'] === 'string')
    .map((frame) => toConfirmation(frame as Partial<WaitingApproval>));
}

/** Converts an approval of the API for the terminal: control characters become visible, and long arguments are cut. */
export function toConfirmation(asked: Partial<WaitingApproval>): Confirmation {
  const { key, label, tool = 'a tool', connector, args = {} } = asked;
  const json = JSON.stringify(args);
  const rest = json.length - ARGS_CHARACTERS;
  return {
    key: String(key),
    label: visible(String(label ?? tool)),
    args: visible(json.slice(0, ARGS_CHARACTERS)) + (rest > 0 ? `… and ${rest} characters more` : ''),
    tool: visible(connector === undefined ? tool : `${tool} of ${connector}`),
  };
}

/** Returns one line in which invisible and bidirectional control characters are visible, because a person decides by this text. */
function visible(text: string): string {
  return cleanText(text)
    .replaceAll('\n', ' ')
    .replaceAll(/[\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}

/** Asks the person about each call and sends the decisions. @returns true when at least one was approved */
export async function askApprovals(
  agent: AgentClient,
  chatId: string,
  confirmations: readonly Confirmation[],
  { output, prompts }: Pick<Context, 'output' | 'prompts'>,
): Promise<boolean> {
  const style = output.progressStyle;
  let isAnyAllowed = false;
  for (const { key, label, args, tool } of confirmations) {
    output.say(`${style.yellow(style.signs.warning)} ${style.bold(label)} ${style.dim(`${tool} ${args}`)}`);
    const answer = (await prompts.line('  Allow? [y]es, [a]lways, [N]o: '))?.trim().toLowerCase() ?? '';
    const decision = /^a(lways)?$/.test(answer) ? 'always' : /^y(es)?$/.test(answer) ? 'approve' : 'deny';
    await agent.post('/chats/{id}/approvals/{key}', { params: { path: { id: chatId, key } }, body: { decision } });
    isAnyAllowed ||= decision !== 'deny';
  }
  return isAnyAllowed;
}
