import { berth, chatCompletions, defineAgent, defineTool, dev, scripted, z } from '@berth/agent';

const { MODEL, MODEL_KEY, MODEL_URL } = process.env;

const rollDice = defineTool({
  name: 'roll_dice',
  description: 'Rolls dice and answers what each shows.',
  risk: 'read',
  input: z.object({ count: z.int().min(1).max(20), sides: z.int().min(2).max(100).default(6) }),
  run: ({ count, sides }) => Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides)),
});

export const agent = defineAgent({
  name: '{{name}}',
  // Deployed, people sign in with their accounts of the platform.
  auth: process.env['K_SERVICE'] ? berth() : dev(),
  system: 'You are the host of a game. Never make up a roll: use the tool.',
  // Any server that speaks Chat Completions: OpenAI, vLLM, Ollama, Groq …
  model: MODEL_KEY
    ? chatCompletions({
        baseUrl: MODEL_URL ?? 'https://api.openai.com/v1',
        apiKey: MODEL_KEY,
        model: MODEL ?? 'gpt-5-mini',
      })
    : scripted('I have no model yet: set MODEL_KEY (and MODEL_URL for another server than OpenAI), and say it again.'),
  tools: [rollDice],
});

// A test imports the agent without starting it.
if (import.meta.main) await agent.listen();
