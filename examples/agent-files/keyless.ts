import { type Model, type ModelMessage, scripted } from '@berth/agent';

const HELP =
  'I have no model, so I know five sentences: "list", "read notes.md", "write notes.md: some text", "delete notes.md" and "run ls -l". Set OPENAI_API_KEY or MODEL_URL, and I understand more.';

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;
type Call = { readonly tool: string; readonly args: Readonly<Record<string, string>> };

/** What a sentence asks for; undefined for any other. */
function readSentence(text: string): Call | undefined {
  const sentence = text.trim();
  const [, file = '', content = ''] = /^write (\S+?):\s*([\s\S]+)$/i.exec(sentence) ?? [];
  if (file !== '') return { tool: 'write_file', args: { path: file, content } };
  const [, verb = '', rest = ''] = /^(list|read|delete|run)\b\s*(.*)$/i.exec(sentence) ?? [];
  switch (verb.toLowerCase()) {
    case 'list':
      return { tool: 'list_files', args: rest === '' ? {} : { path: rest } };
    case 'read':
      return { tool: 'read_file', args: { path: rest } };
    case 'delete':
      return { tool: 'delete_file', args: { path: rest } };
    case 'run':
      return { tool: 'run_command', args: { command: rest } };
    default:
      return undefined;
  }
}

/** Stands in for a model: it does what one of five sentences says, with the same tools and the same approvals. */
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
  return isError ? `That did not work: ${text}` : `Done:\n\n${fence(text)}`;
}

function fence(text: string): string {
  return `\`\`\`\n${text.slice(0, 4_000)}\n\`\`\``;
}
