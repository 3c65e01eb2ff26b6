import type { Frame } from '@berth/contract/agent';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { createAgentClient } from '../agent/create-agent-client.ts';
import { createClient } from '../control/client.ts';
import { deployEvent } from '../testing/index.ts';

/** A connection that a test writes to, ends, breaks or leaves silent. */
interface Line {
  say(text: string): void;
  end(): void;
  breakOff(): void;
}

let clock: FakeClock;
/** The requests that came, with their queries. */
let asked: string[];
/** The lines that were opened, in order. */
let lines: Line[];
/** Answers in place of a line, by the number of the request. */
let refusals: Map<number, () => Response>;

beforeEach(() => {
  clock = createFakeClock();
  asked = [];
  lines = [];
  refusals = new Map();
});

const fake: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const { pathname, search } = new URL(request.url);
  asked.push(`${request.method} ${pathname}${decodeURIComponent(search)}`);
  const refusal = refusals.get(asked.length);
  if (refusal) return refusal();
  const controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void controllers.push(controller) });
  lines.push({
    say: (text) => controllers[0]?.enqueue(new TextEncoder().encode(text)),
    end: () => controllers[0]?.close(),
    breakOff: () => controllers[0]?.error(new TypeError('terminated')),
  });
  return new Response(body);
};
const refuse = (status: number) => () => Response.json({ detail: `Refused with ${status}.` }, { status });

const platform = () => createClient({ baseUrl: 'https://b.test', fetch: fake, clock });
const agent = () => createAgentClient({ baseUrl: 'https://agent.test', fetch: fake, clock });
const last = () => lines.at(-1);

/** Reads a generator in the background. */
function read<Value>(values: AsyncGenerator<Value>) {
  const got: Value[] = [];
  const state: { error?: unknown; isOver: boolean } = { isOver: false };
  (async () => {
    for await (const value of values) got.push(value);
  })()
    .catch((error: unknown) => {
      state.error = error;
    })
    .finally(() => {
      state.isOver = true;
    });
  return { got, state };
}

describe('the events of a deploy', () => {
  const heartbeat = `${JSON.stringify({ status: 'BUILDING', message: '', time: '', deploy_id: 'dep_1' })}\n`;

  test('are asked for again after 45 seconds of silence, from where they stopped', async () => {
    const { got } = read(platform().followDeploy('dep_1'));
    await clock.elapse(0);
    last()?.say(deployEvent(1, 'BUILDING', 'a'));
    await clock.elapse(44_999);
    expect(asked).toHaveLength(1);
    // Fails when silence is endured: a connection whose other end is gone without a word never breaks.
    await clock.elapse(1 + 250);
    expect(asked).toEqual(['GET /v1/deploys/dep_1/events?after=0', 'GET /v1/deploys/dep_1/events?after=1']);
    last()?.say(deployEvent(1, 'BUILDING', 'a') + deployEvent(2, 'DONE', ''));
    await clock.elapse(0);
    expect(got.map((event) => event.seq)).toEqual([1, 2]);
  });

  test('are followed for as long as heartbeats come, which are not passed on', async () => {
    const { got, state } = read(platform().followDeploy('dep_1'));
    for (let count = 0; count < 40; count++) {
      await clock.elapse(15_000);
      last()?.say(heartbeat);
    }
    // Fails when the time counts from the last event: a build that prints nothing for three minutes would be given up.
    last()?.breakOff();
    await clock.elapse(300);
    expect([asked.length, state.isOver, got]).toEqual([2, false, []]);
  });

  test('are given up three minutes after the last sign of life, and not before', async () => {
    const { state } = read(platform().followDeploy('dep_1'));
    await clock.elapse(0);
    last()?.say(deployEvent(1, 'BUILDING', 'a'));
    await clock.elapse(0);
    for (let count = 2; count < 100; count++) refusals.set(count, refuse(503));
    last()?.breakOff();
    await clock.elapse(179_000);
    expect(state.isOver).toBe(false);
    await clock.elapse(10_000);
    expect(state.error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Deploy dep_1 may still be running.'),
    });
    // Fails when the wait between two tries doesn't grow, or grows without bound.
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.length).toBeLessThan(60);
  });

  test('end with an error that waiting does not help', async () => {
    const { state } = read(platform().followDeploy('dep_1'));
    refusals.set(2, refuse(403));
    await clock.elapse(0);
    last()?.breakOff();
    await clock.elapse(250);
    // Fails when every error is waited out.
    expect(state.error).toMatchObject({ code: 'forbidden', message: 'Refused with 403.' });
  });

  test('of a deploy that was sent are never asked for by sending it again', async () => {
    const { state } = read(platform().rollback('app'));
    await clock.elapse(0);
    last()?.breakOff();
    await clock.elapse(600_000);
    // Fails when the POST is made again: the rollback would be done twice.
    expect(asked).toEqual(['POST /v1/deployment/rollback']);
    expect(state.error).toMatchObject({ message: expect.stringContaining('The deploy may have started') });
  });
});

describe('a log that is followed', () => {
  const entry = (n: number) => `id: c${n}\ndata: {"message":"m${n}"}\n\n`;

  test('is taken up at its last entry after 45 seconds of silence; keep-alives are no silence', async () => {
    const { got } = read(platform().tailLogs('app', { since: 'c0' }));
    await clock.elapse(0);
    last()?.say(entry(1));
    for (let count = 0; count < 10; count++) {
      await clock.elapse(15_000);
      last()?.say(': keep-alive\n\n');
    }
    expect(asked).toHaveLength(1);
    await clock.elapse(45_000 + 250);
    expect(asked.at(-1)).toBe('GET /v1/deployment/logs/tail?name=app&since=c1');
    last()?.say(entry(2));
    await clock.elapse(0);
    expect(got.map(({ message }) => message)).toEqual(['m1', 'm2']);
  });

  test('of a server that is away is asked for with longer waits, without end, and said once', async () => {
    const heard: string[] = [];
    const options = { since: 'c0', onLost: () => heard.push('lost'), onFound: () => heard.push('found') };
    const { state } = read(platform().tailLogs('app', options));
    for (let count = 1; count <= 30; count++) refusals.set(count, refuse(503));
    const times: number[] = [];
    for (let elapsedMs = 0; elapsedMs < 130_000; elapsedMs += 250) {
      const before = asked.length;
      await clock.elapse(250);
      if (asked.length > before) times.push(elapsedMs);
    }
    // Fails when the wait doesn't double, or isn't bounded by five seconds.
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect([waits.slice(0, 4), Math.max(...waits), state.isOver]).toEqual([[500, 1_000, 2_000, 4_000], 5_000, false]);
    await clock.elapse(60_000);
    // Fails when each try is told, or the end of the outage is not.
    expect(heard).toEqual(['lost', 'found']);
  });

  test('that sends what is no entry ends with an error', async () => {
    const { state } = read(platform().tailLogs('app', { since: 'c0' }));
    await clock.elapse(0);
    last()?.say('id: c1\ndata: <html>\n\n');
    await clock.elapse(0);
    expect(state.error).toMatchObject({ code: 'internal', message: expect.stringContaining('not JSON') });
  });
});

describe('a turn of an agent', () => {
  const request = { messages: [{ role: 'user' as const, content: 'hi' }] };
  const frame = (n: number, value: Frame) => `id: r:${n}\ndata: ${JSON.stringify(value)}\n\n`;
  const text = (value: string): Frame => ({ type: 'text', text: value });

  test('whose connection breaks before its first frame is followed from there, and not sent again', async () => {
    const { got } = read(agent().sendTurn('c1', request));
    await clock.elapse(0);
    last()?.breakOff();
    await clock.elapse(250);
    // Fails when the message is sent again: the agent would answer, and act, twice.
    expect(asked).toEqual(['POST /chat?id=c1', 'GET /chats/c1/stream']);
    last()?.say(`${frame(1, text('a'))}data: [DONE]\n\n`);
    await clock.elapse(0);
    expect(got).toEqual([text('a')]);
  });

  test('that never got an answer is not sent again', async () => {
    refusals.set(1, () => {
      throw new TypeError('fetch failed');
    });
    const { state } = read(agent().sendTurn('c1', request));
    await clock.elapse(600_000);
    expect([asked, state.error]).toMatchObject([['POST /chat?id=c1'], { code: 'unavailable' }]);
  });

  test('that thinks for long is kept by its pings, and taken up after their silence', async () => {
    const { got, state } = read(agent().sendTurn('c1', request));
    await clock.elapse(0);
    last()?.say(frame(1, text('a')));
    for (let count = 1; count <= 20; count++) {
      last()?.say('data: {"type":"ping"}\n\n');
      await clock.elapse(15_000);
    }
    expect(asked).toHaveLength(1);
    await clock.elapse(45_000 + 250);
    // Fails when the frames that were read are asked for again.
    expect(asked.at(-1)).toBe('GET /chats/c1/stream?after=r:1');
    last()?.say(`${frame(2, text('b'))}data: [DONE]\n\n`);
    await clock.elapse(0);
    expect([got, state]).toEqual([[text('a'), text('b')], { isOver: true }]);
  });

  test('that ends without its end is taken up, and one that is over says where its answer is', async () => {
    const { got, state } = read(agent().followTurn('c1'));
    await clock.elapse(0);
    last()?.say(frame(1, text('a')));
    last()?.end();
    refusals.set(2, refuse(404));
    await clock.elapse(250);
    // Fails when the end of the connection counts as the end of the answer: half of it would look whole.
    expect([got, state.error]).toMatchObject([[text('a')], { code: 'unavailable' }]);
  });

  test('with a frame that is no JSON ends with an error', async () => {
    const { state } = read(agent().followTurn('c1'));
    await clock.elapse(0);
    last()?.say('id: r:1\ndata: {"type"\n\n');
    await clock.elapse(0);
    expect(state.error).toMatchObject({ code: 'internal', message: 'The agent sent a frame that is not JSON.' });
  });
});
