import path from 'node:path';
import { copyChat } from '../agents/copy-chat.ts';
import { type MeasuredAgent, startMeasuredAgent } from '../agents/measured-agent.ts';
import { openTurn } from '../agents/open-turn.ts';
import { nowMicros } from '../agents/pace.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { quantile, roundTo } from '../statistics.ts';

const CHATS = 100_000;
const LISTS = 200;
const REPLAYED_FRAMES = 5_000;
const REPLAYS = 20;
const STOPS = 50;
const OWNER = 'load';

/** P15: reading a long turn again, the list of very many chats, and how long a stop takes. */
export async function measureAgentChats({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using agent = await startMeasuredAgent();
  const token = await agent.token(OWNER);
  const client = createClient(agent, token);

  const frames = isTenth ? REPLAYED_FRAMES / 10 : REPLAYED_FRAMES;
  // All due at once, and of a kind that is not joined as text is.
  await client.turn('long', { frames, gapMs: 0, startMicros: 0, isRows: true });
  const replayMs: number[] = [];
  for (let round = 0; round < (isTenth ? 2 : REPLAYS); round++) replayMs.push(await client.replay('long', frames));
  say(`replay of ${frames} frames: p50 ${roundTo(quantile(replayMs, 0.5), 1)} ms`);

  const stopMs: number[] = [];
  for (let round = 0; round < (isTenth ? 5 : STOPS); round++) stopMs.push(await client.stop(`stopped-${round}`));
  say(`stop: p50 ${roundTo(quantile(stopMs, 0.5), 1)} ms, slowest ${roundTo(Math.max(...stopMs), 1)} ms`);

  const chats = isTenth ? CHATS / 10 : CHATS;
  await client.list();
  copyChat(path.join(agent.dataFolder, '.db', 'agent.sqlite'), chats);
  const listMs: number[] = [];
  const searchMs: number[] = [];
  for (let round = 0; round < (isTenth ? LISTS / 10 : LISTS); round++) {
    listMs.push(await client.list());
    if (round % 10 === 0) searchMs.push(await client.list('&q=title-77'));
  }
  say(
    `list of ${chats} chats: p50 ${roundTo(quantile(listMs, 0.5), 1)} ms, p99 ${roundTo(quantile(listMs, 0.99), 1)} ms`,
  );
  return {
    figures: [
      figure(`replay of ${frames} frames, p50`, quantile(replayMs, 0.5), 'ms', { id: 'P15', target: 250 }),
      figure(`list at ${chats} chats, p99`, quantile(listMs, 0.99), 'ms', { id: 'P15', target: 15 }),
      figure('with a search in titles, p50', quantile(searchMs, 0.5), 'ms'),
      figure('stop until the turn’s end is read, slowest', Math.max(...stopMs), 'ms', { id: 'P15', target: 100 }),
    ],
    notes: [
      'Times are a client’s on loopback, tokens checked. The list is the default page of 200; the stopped turn says a frame every 50 ms.',
      ...(isTenth ? ['At a tenth: 10,000 chats, 500 frames.'] : []),
    ],
  };
}

function createClient(agent: MeasuredAgent, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const send = (id: string, turn: object, onEvent: (data: string) => void) =>
    openTurn({
      url: `${agent.url}/?id=${id}`,
      token,
      body: { messages: [{ role: 'user', content: JSON.stringify(turn) }] },
      onEvent,
    });
  return {
    async turn(id: string, turn: object): Promise<void> {
      await send(id, turn, () => {}).ended;
    },
    /** Milliseconds until all of the chat's last run has been read. @throws Error when a frame is missing. */
    async replay(id: string, frames: number): Promise<number> {
      const startMs = performance.now();
      const response = await fetch(`${agent.url}/chats/${id}/stream`, { headers });
      const text = await response.text();
      const ms = performance.now() - startMs;
      const moments = [...text.matchAll(/"row":\["\d+"\]/g)];
      if (moments.length !== frames || !text.endsWith('data: [DONE]\n\n')) {
        throw new Error(`replayed ${moments.length} frames of ${frames}`);
      }
      return ms;
    },
    /** Milliseconds from the request to stop until the reader has the end of the turn. */
    async stop(id: string): Promise<number> {
      const begun = Promise.withResolvers<void>();
      const turn = { frames: 100_000, gapMs: 50, startMicros: nowMicros() };
      const { ended } = send(id, turn, (data) => {
        if (data.startsWith('{"type":"text"')) begun.resolve();
      });
      await begun.promise;
      const startMs = performance.now();
      const response = await fetch(`${agent.url}/chats/${id}/stop`, { method: 'POST', headers });
      if (response.status !== 202) throw new Error(`stop answered ${response.status}`);
      await ended;
      return performance.now() - startMs;
    },
    async list(query = ''): Promise<number> {
      const startMs = performance.now();
      const response = await fetch(`${agent.url}/chats?limit=200${query}`, { headers });
      const chats = (await response.json()) as unknown[];
      const ms = performance.now() - startMs;
      if (response.status !== 200 || chats.length === 0) throw new Error(`the list answered ${response.status}`);
      return ms;
    },
  };
}
