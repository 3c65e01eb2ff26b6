import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type MeasuredAgent, startMeasuredAgent } from '../agents/measured-agent.ts';
import { openTurn } from '../agents/open-turn.ts';
import { nowMicros } from '../agents/pace.ts';
import { startProgram } from '../agents/start-program.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { CORES, pinProcess } from '../pin-process.ts';
import { quantile, roundTo } from '../statistics.ts';

const CONNECTORS = 20;
const TOOLS = 30;
const ROUNDS = 200;
const WARM_UP = 10;
/** Of English and JSON, about: what models of every maker come near to. */
const CHARACTERS_OF_A_TOKEN = 4;

/**
 * What 20 connectors with 30 tools each cost a turn that does not use them: until the model is asked, and in what it reads;
 * beside the same agent without connectors.
 */
export async function measureAgentConnectors({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using model = await startModel();
  await using server = await startProgram('mcp-program.ts', [String(TOOLS)]);
  const connectors = { count: CONNECTORS, url: server.url };
  await using bare = await startMeasuredAgent({ upstream: model.url });
  await using connected = await startMeasuredAgent({ upstream: model.url, connectors });
  for (const { pid } of [bare, connected]) pinProcess(pid, CORES.target);
  pinProcess(process.pid, CORES.load);
  const tokens = new Map([
    [bare, await bare.token('load')],
    [connected, await connected.token('load')],
  ]);

  let turn = 0;
  const ask = async (agent: MeasuredAgent) => {
    const token = tokens.get(agent) as string;
    const body = { messages: [{ role: 'user', content: 'Hello' }] };
    const begun = nowMicros();
    await openTurn({ url: `${agent.url}/?id=turn-${turn++}`, token, body, onEvent: () => {} }).ended;
    return { ms: (model.lastMicros() - begun) / 1_000, characters: model.lastTools().length };
  };
  const times = new Map<MeasuredAgent, number[]>([
    [bare, []],
    [connected, []],
  ]);
  const rounds = isTenth ? ROUNDS / 10 : ROUNDS;
  let added = Number.NaN;
  // By turns, so that what else the machine does is the same for both.
  for (let round = -WARM_UP; round < rounds; round++) {
    const without = await ask(bare);
    const withThem = await ask(connected);
    added = withThem.characters - without.characters;
    if (round < 0) continue;
    times.get(bare)?.push(without.ms);
    times.get(connected)?.push(withThem.ms);
  }
  if (!model.lastTools().includes('find_tools')) throw new Error('the connectors are not in the turn');
  const median = (agent: MeasuredAgent) => quantile(times.get(agent) ?? [], 0.5);
  say(`until the model is asked: ${roundTo(median(bare), 2)} ms, with connectors ${roundTo(median(connected), 2)} ms`);
  const title = `${CONNECTORS} connectors of ${TOOLS} tools add to a turn`;
  return {
    figures: [
      figure(`${title}: p50`, median(connected) - median(bare), 'ms', { target: 5 }),
      figure(title, Math.ceil(added / CHARACTERS_OF_A_TOKEN), 'tokens', { target: 400 }),
    ],
    notes: [
      'Time: from sending the message until the request arrives at the model, both agents by turns, lists read before.',
      `Tokens: characters of the tools in the model's request, divided by ${CHARACTERS_OF_A_TOKEN}.`,
    ],
  };
}

/** A model's server that answers at once and keeps what it was asked last. */
async function startModel() {
  let tools = '';
  let askedMicros = 0;
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const server = createServer(async (request, response) => {
    askedMicros = nowMicros();
    const body = (await json(request)) as { readonly tools?: unknown };
    tools = JSON.stringify(body.tools ?? []);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(`${chunk({ role: 'assistant', content: 'Hello' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lastTools: () => tools,
    lastMicros: () => askedMicros,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
