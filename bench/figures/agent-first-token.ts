import { startMeasuredAgent } from '../agents/measured-agent.ts';
import { openTurn } from '../agents/open-turn.ts';
import { nowMicros } from '../agents/pace.ts';
import { startLanggraph } from '../agents/start-langgraph.ts';
import { startProgram } from '../agents/start-program.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { CORES, pinProcess } from '../pin-process.ts';
import { quantile, roundTo } from '../statistics.ts';

const ROUNDS = { alone: 200, together: 20 } as const;
const TOGETHER = 100;
const WARM_UP = 20;

/** What is asked for a first token. */
interface Server {
  readonly name: string;
  /** A turn of its own each time. */
  ask(turn: number): { readonly url: string; readonly token?: string; readonly body: object };
  isText(data: string): boolean;
}

/**
 * P14: how much later the first token comes through the agent than from the model's server itself, one turn at a time and a
 * hundred at once; and through the AI SDK's server and LangGraph.js's.
 */
export async function measureAgentFirstToken({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using upstream = await startProgram('upstream-program.ts');
  await using agent = await startMeasuredAgent({ upstream: upstream.url });
  await using sdk = await startProgram('peer-program.ts', [upstream.url]);
  await using langgraph = await startLanggraph([upstream.url]);
  for (const { pid } of [agent, sdk, langgraph]) pinProcess(pid, CORES.target);
  for (const pid of [process.pid, upstream.pid]) pinProcess(pid, CORES.load);
  const token = await agent.token('load');
  const messages = [{ role: 'user', content: 'Hello' }];
  const direct: Server = {
    name: 'direct',
    ask: () => ({ url: `${upstream.url}/chat/completions`, body: { model: 'scripted', stream: true, messages } }),
    isText: (data) => data.includes('"content"'),
  };
  const own: Server = {
    name: 'agent',
    ask: (turn) => ({ url: `${agent.url}/?id=turn-${turn}`, token, body: { messages } }),
    isText: (data) => data.startsWith('{"type":"text"'),
  };
  const peer: Server = {
    name: 'AI SDK',
    ask: () => ({ url: sdk.url, body: { messages } }),
    isText: (data) => data.includes('"text-delta"'),
  };
  const other: Server = {
    name: 'LangGraph.js',
    ask: () => ({
      url: `${langgraph.url}/runs/stream`,
      body: { assistant_id: 'agent', input: { messages }, stream_mode: ['messages-tuple'] },
    }),
    isText: (data) => data.includes('"content": "token-'),
  };
  const servers = [direct, own, peer, other];

  const measure = async (rounds: number, atOnce: number): Promise<Record<string, number>> => {
    const times: Record<string, number[]> = Object.fromEntries(servers.map(({ name }) => [name, []]));
    // By turns, so that what else the machine does is the same for all.
    for (let round = 0; round < rounds; round++) {
      for (const server of servers) {
        times[server.name]?.push(...(await Promise.all(Array.from({ length: atOnce }, () => firstTokenMs(server)))));
      }
    }
    const medians = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, quantile(values, 0.5)]));
    say(
      `${atOnce} at once: ${Object.entries(medians)
        .map(([name, ms]) => `${name} ${roundTo(ms, 2)} ms`)
        .join(', ')}`,
    );
    return medians;
  };
  await measure(isTenth ? 2 : WARM_UP, 2);
  const alone = await measure(isTenth ? ROUNDS.alone / 10 : ROUNDS.alone, 1);
  const together = await measure(isTenth ? ROUNDS.together / 10 : ROUNDS.together, isTenth ? TOGETHER / 4 : TOGETHER);
  const added = (medians: Record<string, number>, name: string) =>
    roundTo((medians[name] ?? Number.NaN) - (medians['direct'] ?? Number.NaN), 2);
  return {
    figures: [
      figure('first token, added at one turn: p50', added(alone, 'agent'), 'ms', { id: 'P14', target: 2.5 }),
      figure(`at ${TOGETHER} at once: p50`, added(together, 'agent'), 'ms', { id: 'P14', target: 25 }),
      figure('AI SDK: added at one turn', added(alone, 'AI SDK'), 'ms'),
      figure(`AI SDK: at ${TOGETHER} at once`, added(together, 'AI SDK'), 'ms'),
      figure('LangGraph.js: added at one turn', added(alone, 'LangGraph.js'), 'ms'),
      figure(`LangGraph.js: at ${TOGETHER} at once`, added(together, 'LangGraph.js'), 'ms'),
    ],
    notes: [
      'Added: over the median of the same request to the model’s server itself, which gives its first token after 20 ms.',
      'The agent checks a token, stores the message before it calls the model, has it on the disk before it answers, and logs what comes; the AI SDK’s server does not; LangGraph.js keeps threads and checkpoints in memory.',
      ...(isTenth ? ['At a tenth: 20 rounds alone, 2 of 25 at once.'] : []),
    ],
  };
}

let turns = 0;

/** From the first byte that is sent to the first text that comes; the answer is read to its end. */
async function firstTokenMs({ ask, isText, name }: Server): Promise<number> {
  const startMicros = nowMicros();
  let firstMicros: number | undefined;
  await openTurn({
    ...ask(turns++),
    onEvent(data, _id, atMicros) {
      if (firstMicros === undefined && isText(data)) firstMicros = atMicros;
    },
  }).ended;
  if (firstMicros === undefined) throw new Error(`${name} answered without text`);
  return (firstMicros - startMicros) / 1_000;
}
