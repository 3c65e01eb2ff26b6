import type { AgentClient } from '@berth/client';
import type { UiFrame, WaitingApproval } from '@berth/contract/agent';
import type { Context } from '../command/context.ts';
import { cleanText } from '../output/clean-text.ts';

/** A tool call that needs approval. */
export interface Confirmation {
  readonly key: string;
  /** Description of the call for people. */
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

/** Effect of a person's decisions: the answer continues automatically, with the next message, or not at all. */
export type AfterDecisions = 'continues' | 'next_message' | 'ends';

/** Asks the person about each call and sends the decisions. */
export async function askApprovals(
  agent: AgentClient,
  chatId: string,
  confirmations: readonly Confirmation[],
  { output, prompts }: Pick<Context, 'output' | 'prompts'>,
): Promise<AfterDecisions> {
  const style = output.progressStyle;
  let after: AfterDecisions = 'ends';
  for (const { key, label, args, tool } of confirmations) {
    output.say(`${style.yellow(style.signs.warning)} ${style.bold(label)} ${style.dim(`${tool} ${args}`)}`);
    const answer = (await prompts.line('  Allow? [y]es, [a]lways, [N]o: '))?.trim().toLowerCase() ?? '';
    const decision = /^a(lways)?$/.test(answer) ? 'always' : /^y(es)?$/.test(answer) ? 'approve' : 'deny';
    const path = { id: chatId, key };
    const { run } = await agent.post('/chats/{id}/approvals/{key}', { params: { path }, body: { decision } });
    // Agents of an earlier version don't say, and those with a handler of their own may not go on by themselves.
    if (run) after = 'continues';
    else if (decision !== 'deny' && after === 'ends') after = 'next_message';
  }
  return after;
}
