import { type Model, type ModelMessage, scripted } from '@berth/agent';

const HELP =
  'I have no model, so I know two sentences: "call everything get-sum {"a":1,"b":2}", and "find" with what is to be done. Set OPENAI_API_KEY or MODEL_URL, and I understand more.';

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

/** What a sentence asks for; undefined for any other. */
function readSentence(text: string): { readonly tool: string; readonly args: unknown } | undefined {
  const [, connector, tool, args = '{}'] = /^call (\S+) (\S+)\s*(\{.*\})?$/is.exec(text.trim()) ?? [];
  if (connector !== undefined) return { tool: `${connector}__${tool}`, args };
  const [, query] = /^find (.+)$/is.exec(text.trim()) ?? [];
  return query === undefined ? undefined : { tool: 'find_tools', args: { query } };
}

/** Stands in for a model: it calls what a sentence names, with the same tools and the same approvals. */
export function keyless(): Model {
  return scripted([
    ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return report(last);
      const texts = last?.content.map((part) => (part.type === 'text' ? part.text : '')) ?? [];
      const call = readSentence(texts.join(''));
      if (call) return { calls: [call] };
      // What the person allowed is run before their message is answered.
      const before = messages.at(-2);
      return before?.role === 'tool' ? report(before) : HELP;
    },
  ]);
}

function report({ text, isError }: ToolMessage): string {
  return isError ? `That did not work: ${text}` : `Done:\n\n\`\`\`\n${text.slice(0, 4_000)}\n\`\`\``;
}
