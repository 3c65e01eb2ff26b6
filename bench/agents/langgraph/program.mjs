// The LangGraph.js server, in a process of its own: `node program.mjs [UPSTREAM]` prints its address. Threads and checkpoints
// are kept in memory, and nobody is asked who they are.
import { serve } from '@hono/node-server';
import { Annotation, END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createEmbedServer } from '@langchain/langgraph-api/experimental/embed';
import { ChatOpenAI } from '@langchain/openai';
import { pacedMoments } from '../pace.ts';

const [upstream] = process.argv.slice(2);

/** Says what the bench asks for, at the pace that it asks for. */
function pacedGraph() {
  const State = Annotation.Root({ turn: Annotation() });
  const say = async ({ turn }, { writer }) => {
    for await (const dueMicros of pacedMoments(turn)) writer(String(dueMicros));
    return {};
  };
  return new StateGraph(State).addNode('say', say).addEdge(START, 'say').addEdge('say', END).compile();
}

function modelGraph() {
  const model = new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL: upstream } });
  const answer = async ({ messages }) => ({ messages: [await model.invoke(messages)] });
  return new StateGraph(MessagesAnnotation)
    .addNode('answer', answer)
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile();
}

const threads = new Map();
const server = createEmbedServer({
  graph: { agent: upstream ? modelGraph() : pacedGraph() },
  checkpointer: new MemorySaver(),
  threads: {
    get: async (id) => threads.get(id),
    async set(id, { metadata }) {
      const thread = { thread_id: id, metadata: { ...threads.get(id)?.metadata, ...metadata } };
      threads.set(id, thread);
      return thread;
    },
    delete: async (id) => void threads.delete(id),
  },
});
serve({ fetch: server.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
