import { type AgentStores, ownerKey } from '@berth/agent-store';
import { createSqlStores, openAgentDatabase } from '@berth/agent-store/sql';
import { createSilentLogger } from '@berth/kit';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { quantile, roundTo } from '../statistics.ts';

const CHATS = 100_000;
const FEW = 10;
const ROUNDS = 40;
/** A page of the list, as the chat page reads it. */
const PAGE = 100;
const OWNER = ownerKey({ id: 'load' });
const NOW_MS = Date.UTC(2026, 0, 1);

/** Queries, by what they find. `tide` is in every chat, `harbor77` in one of a thousand. */
const QUERIES: Readonly<Record<string, string | undefined>> = {
  'the list': undefined,
  'a search for a rare word': 'harbor77',
  'a search for a word in every chat': 'tide',
  'a search for two characters': 'ti',
  'a search that finds nothing': 'xylophone',
};

/** The chat list and the full-text search of a person with very many chats, beside the same calls with ten chats. */
export async function measureChatSearch({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const database = await openAgentDatabase({ place: 'memory', logger: createSilentLogger() });
  const stores = createSqlStores(database);
  try {
    const chats = isTenth ? CHATS / 10 : CHATS;
    const rounds = isTenth ? ROUNDS / 10 : ROUNDS;
    await addChats(stores, 0, FEW);
    const few = await measure(stores, rounds);
    await addChats(stores, FEW, chats);
    const many = await measure(stores, rounds);
    const figures = Object.keys(QUERIES).flatMap((name) => {
      const [manyMs, fewMs] = [many.get(name) ?? 0, few.get(name) ?? 1];
      say(`${name}: p95 ${roundTo(manyMs, 1)} ms with ${chats} chats, ${roundTo(fewMs, 1)} ms with ${FEW}`);
      return [
        figure(`${name} at ${chats} chats, p95`, manyMs, 'ms', { target: 1_000 }),
        figure(`${name}: ${chats} chats beside ${FEW}`, manyMs / fewMs, 'ratio'),
      ];
    });
    return {
      figures,
      notes: [
        `Calls of the store on SQLite in memory, without HTTP: the first ${PAGE} chats, each of two messages, excerpts included.`,
        ...(isTenth ? ['At a tenth: 10,000 chats.'] : []),
      ],
    };
  } finally {
    await stores.close();
  }
}

async function addChats({ chats }: AgentStores, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) {
    const question = `When is the tide highest at harbor${index % 1_000}, and how high will it be on day ${index}?`;
    const answer = `The tide is highest at ${index % 24}:07. It will be ${index % 9} m high, and ${index % 7} m at night.`;
    const messages = [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ] as const;
    await chats.create(OWNER, { id: `c${index}`, title: `Day ${index}` }, messages, NOW_MS + index);
  }
}

/** Returns the p95 of each query in milliseconds. */
async function measure({ chats }: AgentStores, rounds: number): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const [name, query] of Object.entries(QUERIES)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startMs = performance.now();
      await chats.list(OWNER, { limit: PAGE + 1, ...(query && { query }) });
      times.push(performance.now() - startMs);
    }
    found.set(name, quantile(times, 0.95));
  }
  return found;
}
