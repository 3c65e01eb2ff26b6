import type { Chat, Frame } from '@berth/contract/agent';
import { createStore } from '@berth/ui/store';
import { type Api, ApiError, createCalls, type Send } from '../api/api.ts';

/** A stream that the test writes. */
export interface FakeStream {
  readonly response: Response;
  /** Sends frames numbered on from those before. */
  send(...frames: readonly Frame[]): void;
  /** Ends it as a turn ends. */
  end(): void;
  /** Breaks the connection. */
  cut(): void;
}

export function createStream(run = 'r1', first = 1): FakeStream {
  const encoder = new TextEncoder();
  let seq = first;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  const write = (text: string) => controller.enqueue(encoder.encode(text));
  return {
    response: new Response(body),
    send(...frames) {
      for (const frame of frames) write(`id: ${run}:${seq++}\ndata: ${JSON.stringify(frame)}\n\n`);
    },
    end() {
      write('data: [DONE]\n\n');
      controller.close();
    },
    cut: () => controller.error(new TypeError('network error')),
  };
}

type Answer = Response | Error | unknown;

/** An agent's API whose answers the test gives, in order for each `METHOD path`. */
export interface FakeAgent extends Api {
  /** Sends every call; a test may replace it. */
  send: Send;
  /** Every call, `METHOD path` and its body. */
  readonly calls: readonly { readonly call: string; readonly body: unknown }[];
  /** What the next calls of `METHOD path` answer; without one a call fails with 404. */
  on(call: string, ...answers: readonly Answer[]): void;
  /** Resolves when `METHOD path` has been called `count` times. */
  called(call: string, count?: number): Promise<void>;
  /** What a wait before another try takes. */
  waitFor: () => Promise<void>;
}

export function createFakeAgent(): FakeAgent {
  const answers = new Map<string, Answer[]>();
  const calls = createStore<readonly { readonly call: string; readonly body: unknown }[]>([]);
  const send: Send = async (path, init = {}) => {
    const call = `${init.method ?? 'GET'} ${path}`;
    calls.set([...calls.get(), { call, body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined }]);
    const answer = await answers.get(call)?.shift();
    if (answer === undefined) throw new ApiError(404, `nothing answers ${call}`);
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const agent: FakeAgent = {
    ...createCalls((path, init) => agent.send(path, init)),
    send,
    waitFor: async () => {},
    get calls() {
      return calls.get();
    },
    on: (call, ...given) => void answers.set(call, [...(answers.get(call) ?? []), ...given]),
    called: (wanted, count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (calls.get().filter(({ call }) => call === wanted).length < count) return;
          stop();
          resolve();
        };
        const stop = calls.subscribe(look);
        look();
      }),
  };
  return agent;
}

/** A chat as it is read, with these messages. */
export function chatOf(messages: readonly Partial<Chat['messages'][number]>[], fields: Partial<Chat> = {}): Chat {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    ...{ id: 'c1', title: 'A chat', createdAt: at, updatedAt: at, favoritedAt: null, cost: '0.000000', run: null },
    ...{ meta: {}, next: 1, open: null, messages: messages as Chat['messages'], ...fields },
  };
}
