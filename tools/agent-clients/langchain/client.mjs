// LangChain.js as a client of an agent. Reads one JSON request a line, {scenario, url, key}, and prints one JSON answer a line.
// The scenarios and their answers are those of ../litellm/client.py.
import { createInterface } from 'node:readline';
import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';

const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==';
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

const weather = tool(({ city }) => `Rain in ${city}`, {
  name: 'weather',
  description: 'Tells the weather.',
  schema: CITY,
});

/** What every scenario answers about a message of the agent. */
function describe({ text, tool_calls: calls, response_metadata: metadata, usage_metadata: usage }) {
  return {
    text,
    calls: calls.map(({ name, args }) => ({ name, args })),
    finish: metadata.finish_reason,
    usage: [usage?.input_tokens, usage?.output_tokens],
  };
}

async function gather(stream) {
  const pieces = [];
  let whole;
  for await (const chunk of stream) {
    if (chunk.text !== '') pieces.push(chunk.text);
    whole = whole?.concat(chunk) ?? chunk;
  }
  return { ...describe(whole), pieces };
}

const SCENARIOS = {
  complete: async (model) => describe(await model.invoke('hi')),
  stream: async (model) => gather(await model.stream('hi')),
  async tools(model) {
    const bound = model.bindTools([weather], { tool_choice: 'weather' });
    const messages = [new HumanMessage('Weather in Oslo?')];
    const first = await bound.invoke(messages);
    messages.push(first);
    for (const call of first.tool_calls) messages.push(await weather.invoke(call));
    return { first: describe(first), last: describe(await model.bindTools([weather]).invoke(messages)) };
  },
  streamTools: async (model) => gather(await model.bindTools([weather]).stream('Weather in Oslo?')),
  async format(model) {
    return { value: await model.withStructuredOutput(CITY, { name: 'place', method: 'jsonSchema' }).invoke('Where?') };
  },
  async image(model) {
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: PIXEL } },
    ];
    return describe(await model.invoke([new HumanMessage({ content })]));
  },
};

for await (const line of createInterface(process.stdin)) {
  const { scenario, url, key } = JSON.parse(line);
  const model = new ChatOpenAI({ model: 'any', apiKey: key, configuration: { baseURL: url }, maxRetries: 0 });
  const answer = await SCENARIOS[scenario](model).catch(({ status, type, param, message }) => {
    return { error: { status, type, param, message } };
  });
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
