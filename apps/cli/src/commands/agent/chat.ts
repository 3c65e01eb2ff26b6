import { randomUUID } from 'node:crypto';
import type { AgentClient } from '@berth/client';
import { CHAT_ID, type UiFrame, type Workspace } from '@berth/contract/agent';
import { askApprovals, type Confirmation, confirmationsOf, toConfirmation } from '../../chat/ask-approvals.ts';
import { type Conversation, createConversation } from '../../chat/conversation.ts';
import { AGENT_OPTIONS, AGENT_WORD, useAgent } from '../../chat/use-agent.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';
import { chatExport } from './export-chat.ts';
import { chatFeedback } from './feedback.ts';

/** The message for an agent that doesn't continue automatically when a person has approved a call. */
const GO_ON = 'Go on.';

/** `berth chat`. */
export const chat = defineCommand({
  name: 'chat',
  summary: 'Chat with an agent',
  description:
    'Interactive on a terminal; sends one message with -m or from a pipe. Ctrl-C stops the answer; Ctrl-C twice quits. An answer continues if the connection is lost.',
  words: AGENT_WORD,
  subcommands: [chatExport, chatFeedback],
  options: {
    '-m, --message <text>': 'Send one message, print the answer and exit',
    '--chat <id>': 'Continue this chat and its running answer; a new chat by default',
    ...AGENT_OPTIONS,
    '--approve <key>': { description: 'Approve a tool call by its key, once', isRepeatable: true },
    '--ask': 'Require approval for every tool that writes',
  },
  examples: [
    ['berth chat my-agent', 'a conversation'],
    ['berth chat my-agent -m "What can you do?"', 'one question'],
    ['git diff | berth chat reviewer', 'a message from a pipe'],
    ['berth chat http://localhost:3000', 'an agent that runs elsewhere'],
    ['berth chat my-agent --chat 7f3a… -m "Go on." --approve k_…', 'approves a tool call in a script'],
    ['berth chat my-agent --workspace Marketing', 'in the workspace of a team'],
    ['berth chat my-agent -m Hello --json', 'the frames, one per line'],
  ],
  async run({ words: [word = ''], options }, context) {
    const { output, prompts } = context;
    if (options.chat !== undefined && !CHAT_ID.test(options.chat)) {
      throw new UsageError('--chat: a chat ID has 1 to 64 characters of A-Z a-z 0-9 _ -');
    }
    const chatId = options.chat ?? randomUUID();
    return useAgent(word, options, context, async (agent, workspace) => {
      const conversation = createConversation(agent, chatId, options.ask !== true, context);
      const message = options.message ?? (prompts.isInteractive ? undefined : await context.readInput());
      if (message !== undefined) {
        if (message.trim() === '') throw new UsageError('No message. Give -m, or pipe one in.');
        return printOpenApprovals(
          await conversation.say(message, options.approve),
          { word, chatId, workspace },
          context,
        );
      }
      const { title } = await agent.get('/config');
      output.say(
        `${output.progressStyle.bold(cleanText(title))} ${output.progressStyle.dim(`chat ${chatId}; Ctrl-D leaves`)}`,
      );
      const place = { agent, chatId };
      if (options.chat !== undefined) {
        await showRest(conversation);
        await askOpen(
          conversation,
          (await agent.get('/chats/{id}/approvals', { params: { path: { id: chatId } } })).map(toConfirmation),
          place,
          context,
        );
      }
      await converse(conversation, place, context);
      return 0;
    });
  },
});

interface Place {
  readonly agent: AgentClient;
  readonly chatId: string;
}

async function converse(conversation: Conversation, place: Place, context: Context): Promise<void> {
  const { output, prompts } = context;
  const style = output.progressStyle;
  for (;;) {
    const line = await prompts.line(`${style.cyan('>')} `);
    if (line === undefined) return;
    if (line.trim() === '') continue;
    const asked = await conversation.say(line);
    showSuggestions(asked, output);
    await askOpen(conversation, confirmationsOf(asked), place, context);
  }
}

/** Asks the person about each waiting tool call and continues with the approved ones. */
async function askOpen(
  conversation: Conversation,
  confirmations: readonly Confirmation[],
  { agent, chatId }: Place,
  context: Context,
): Promise<void> {
  for (let open = confirmations; open.length > 0; ) {
    const after = await askApprovals(agent, chatId, open, context);
    if (after === 'ends') return;
    open = confirmationsOf(await (after === 'continues' ? conversation.follow() : conversation.say(GO_ON)));
  }
}

/** Shows the running answer of a reopened chat. */
async function showRest(conversation: Conversation): Promise<void> {
  await conversation.follow().catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'not_found') throw error;
  });
}

/** Prints how to approve tool calls from a script, where no one can be asked. */
function printOpenApprovals(
  asked: readonly UiFrame[],
  { word, chatId, workspace }: { word: string; chatId: string; workspace: Workspace | undefined },
  { output }: Context,
): number {
  const open = confirmationsOf(asked);
  const place = workspace?.type === 'team' ? ` --workspace ${workspace.id}` : '';
  for (const { key, label, args, tool } of open) {
    output.warn(`Approval needed: ${label} (${tool}) ${args}`);
    output.say(`  To approve: berth chat ${word} --chat ${chatId}${place} -m "${GO_ON}" --approve ${key}`);
  }
  return open.length > 0 ? 1 : 0;
}

function showSuggestions(asked: readonly UiFrame[], { say, progressStyle }: Context['output']): void {
  for (const frame of asked) {
    const list = frame.action === 'suggest' && Array.isArray(frame['suggestions']) ? frame['suggestions'] : [];
    for (const one of list) say(progressStyle.dim(`  ${cleanText(String(one))}`));
    if (frame.action === 'ask' && typeof frame['question'] === 'string') say(cleanText(frame['question']));
  }
}
