// The AI SDK's server, in a process of its own: `node peer-program.ts [UPSTREAM]` prints its address. It keeps nothing and
// asks no one who they are: what an agent does besides is what is measured.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createUIMessageStream, pipeUIMessageStreamToResponse, streamText } from 'ai';
import { type PacedTurn, pacedMoments } from './pace.ts';

const [upstream] = process.argv.slice(2);
const model = upstream && createOpenAICompatible({ name: 'scripted', baseURL: upstream })('scripted');

const server = createServer(async (request, response) => {
  const { messages } = (await json(request)) as { messages: { content: string }[] };
  const content = messages.at(-1)?.content ?? '';
  if (model) {
    streamText({ model, messages: [{ role: 'user', content }] }).pipeUIMessageStreamToResponse(response);
    return;
  }
  const stream = createUIMessageStream({
    async execute({ writer }) {
      writer.write({ type: 'text-start', id: '1' });
      for await (const dueMicros of pacedMoments(JSON.parse(content) as PacedTurn)) {
        writer.write({ type: 'text-delta', id: '1', delta: String(dueMicros) });
      }
      writer.write({ type: 'text-end', id: '1' });
    },
  });
  pipeUIMessageStreamToResponse({ response, stream });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
