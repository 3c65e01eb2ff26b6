import { berth, chatCompletions, commandTool, defineAgent, dev, fileTools, webTool } from '@berth/agent';
import { keyless } from './keyless.ts';

const { MODEL, MODEL_URL, OPENAI_API_KEY } = process.env;
const hasModel = Boolean(OPENAI_API_KEY || MODEL_URL);

const agent = defineAgent({
  name: 'agent-files',
  title: 'Files',
  description: 'Reads and writes your files, runs commands on them, and asks before it deletes.',
  auth: process.env['K_SERVICE'] ? berth() : dev(),
  model: hasModel
    ? chatCompletions({
        model: MODEL ?? 'gpt-5-mini',
        apiKey: OPENAI_API_KEY,
        ...(MODEL_URL ? { baseUrl: MODEL_URL } : {}),
      })
    : keyless(),
  system:
    'You work on the files of a person. Look before you change, say in a sentence what you did, and never invent what a file says.',
  tools: [...fileTools(), commandTool(), webTool()],
});

await agent.listen();
