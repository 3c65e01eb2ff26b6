import { pipeline } from 'node:stream/promises';
import type { AgentClient } from '@berth/client';
import { CHAT_ID } from '@berth/contract/agent';
import { AGENT_OPTIONS, AGENT_WORD, useAgent } from '../../chat/use-agent.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';
import { formatAge } from '../../output/format-age.ts';

/** Chats that are listed when none is named. */
const LISTED = 20;

/** `berth chat export`. */
export const chatExport = defineCommand({
  name: 'export',
  summary: 'Export a chat as Markdown or JSON',
  description: `Includes the messages, the names of attached files and, with --json, the agent's steps. Without a chat, lists your newest ${LISTED}.`,
  words: { ...AGENT_WORD, '[chat]': 'ID of the chat' },
  options: AGENT_OPTIONS,
  examples: [
    ['berth chat export my-agent', 'your newest chats, with their IDs'],
    ['berth chat export my-agent 7f3a… > chat.md', 'one chat, as Markdown'],
    ['berth chat export my-agent 7f3a… --json > chat.json', 'with steps, sources and feedback'],
  ],
  async run({ words: [word = '', chatId], options }, context) {
    const { output, signal, standardOutput } = context;
    if (chatId !== undefined && !CHAT_ID.test(chatId)) {
      throw new UsageError('A chat ID has 1 to 64 characters of A-Z a-z 0-9 _ -');
    }
    await useAgent(word, options, context, async (agent) => {
      if (chatId === undefined) return listChats(agent, word, context);
      const bytes = await agent.exportChat(chatId, output.isJson ? 'json' : 'markdown');
      // A terminal would interpret control characters in what others wrote.
      if (output.isTerminal.result && !output.isJson)
        output.print(cleanText(await new Response(bytes).text()).trimEnd());
      else await pipeline(bytes, standardOutput, { signal, end: false });
    });
  },
});

async function listChats(agent: AgentClient, word: string, { output, clock }: Context): Promise<void> {
  const chats = await agent.get('/chats', { params: { query: { limit: LISTED } } });
  output.json(chats);
  if (chats.length === 0) return output.say('No chats.');
  output.table(chats, [
    { heading: 'CHAT', text: ({ id }) => id },
    { heading: 'UPDATED', text: ({ updatedAt }) => formatAge(updatedAt, clock.nowMs()) },
    { heading: 'TITLE', text: ({ title }) => title, paint: output.style.bold },
  ]);
  output.say(`\n  berth chat export ${word} CHAT > chat.md`);
}
