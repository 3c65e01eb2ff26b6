// A model's server, in a process of its own: `node upstream-program.ts` prints its address. Each answer begins after a wait
// that is the same for all, and has a few tokens.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_TOKEN_MS = 20;
const TOKENS = 10;
const GAP_MS = 5;

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

const server = createServer(async (request, response) => {
  request.resume();
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  await sleep(FIRST_TOKEN_MS);
  for (let token = 0; token < TOKENS; token++) {
    response.write(chunk({ ...(token === 0 ? { role: 'assistant' } : {}), content: `token-${token} ` }));
    await sleep(GAP_MS);
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
