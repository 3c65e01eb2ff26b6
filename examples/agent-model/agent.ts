import { anthropic, berth, chatCompletions, defineAgent, dev, type Model, scripted } from '@berth/agent';

const { MODEL, MODEL_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY } = process.env;

/** Whichever key is set; MODEL_URL alone is a server of your own, such as Ollama's http://localhost:11434/v1. */
function chooseModel(): Model {
  if (ANTHROPIC_API_KEY) return anthropic({ model: MODEL ?? 'claude-sonnet-4-5', apiKey: ANTHROPIC_API_KEY });
  if (OPENAI_API_KEY || MODEL_URL) {
    const server = MODEL_URL ? { baseUrl: MODEL_URL } : {};
    return chatCompletions({ model: MODEL ?? 'gpt-5-mini', apiKey: OPENAI_API_KEY, ...server });
  }
  return scripted('I have no model yet. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or MODEL_URL, and say it again.');
}

const agent = defineAgent({
  name: 'agent-model',
  title: 'Model',
  description: 'Answers with a language model of your choice.',
  auth: process.env['K_SERVICE'] ? berth() : dev(),
  model: chooseModel(),
  system: ({ user }) =>
    `You are a helpful assistant.${user?.name ? ` You talk with ${user.name}.` : ''} Answer in Markdown.`,
});

await agent.listen();
