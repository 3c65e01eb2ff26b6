import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Berth } from '../tests/harness/berth.ts';
import { hostOf, request } from '../tests/harness/request.ts';
import { openServiceSocket } from '../tests/harness/web-socket.ts';

type Server = Pick<Berth, 'port'>;

/** Something that a client saw go wrong. */
export interface Failure {
  /** Trace id it sent: the same in the request log. */
  readonly trace: string;
  readonly what: string;
}

/** Clients of one kind that run until they are stopped. */
export interface Clients {
  readonly kind: string;
  /** Good answers, whole streams, echoed messages. */
  readonly done: number;
  readonly failures: readonly Failure[];
  /** Lets each finish what it is at. */
  stop(): Promise<void>;
}

/** One turn of a client: throws when the answer is not what it must be. `trace` is the header that tells it in the request log. */
type Turn = (trace: { readonly traceparent: string }, onDone: () => void, isStopped: () => boolean) => Promise<void>;

/** Service restart. Source: IANA, WebSocket Close Code Number Registry. */
const SERVICE_RESTART = 1012;
const EVENTS = { count: 20, ms: 250 } as const;
const EVENT_IDS = Array.from({ length: EVENTS.count }, (_value, index) => index + 1).join();
const MESSAGE_GAP_MS = 200;

/** Requests over kept connections, each with a body that comes back. */
export function startHttp1(server: Server, name: string, count: number, gapMs: number): Clients {
  const agent = new Agent({ keepAlive: true });
  const clients = startClients('HTTP/1.1', count, gapMs, async (headers, onDone) => {
    const answer = await request(server, name, '/mirror', {
      method: 'POST',
      body: headers.traceparent,
      headers,
      agent,
    });
    expectEcho(answer.status, answer.text, headers.traceparent);
    onDone();
  });
  return {
    ...clients,
    get done() {
      return clients.done;
    },
    stop: () => clients.stop().finally(() => agent.destroy()),
  };
}

/** The same over one HTTP/2 connection in the clear. */
export function startHttp2(server: Server, name: string, count: number, gapMs: number): Clients {
  let session: ClientHttp2Session | undefined;
  const ask = async (headers: { readonly traceparent: string }): Promise<{ status: number; body: string }> => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`http://127.0.0.1:${server.port}`);
      session.on('error', () => {});
    }
    const stream = session.request({
      ':method': 'POST',
      ':path': '/mirror',
      ':authority': hostOf(server, name),
      ...headers,
    });
    stream.end(headers.traceparent);
    const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
    return { status: Number(answer[':status']), body: await text(stream) };
  };
  const clients = startClients('HTTP/2', count, gapMs, async (headers, onDone) => {
    const { status, body } = await ask(headers);
    expectEcho(status, body, headers.traceparent);
    onDone();
  });
  return {
    ...clients,
    get done() {
      return clients.done;
    },
    stop: () => clients.stop().finally(() => session?.close()),
  };
}

/** Event streams: every event must come, in order. */
export function startEvents(server: Server, name: string, count: number): Clients {
  return startClients('event streams', count, 0, async (headers, onDone) => {
    const answer = await request(server, name, `/events?count=${EVENTS.count}&ms=${EVENTS.ms}`, { headers });
    const ids = [...answer.text.matchAll(/^id: (\d+)$/gm)].map((match) => match[1]).join();
    if (answer.status !== 200 || ids !== EVENT_IDS) throw new Error(`event stream: ${answer.status}, events ${ids}`);
    onDone();
  });
}

/** WebSockets: numbered messages, each echoed, until the server says 1012. */
export function startSockets(server: Server, name: string, count: number): Clients {
  return startClients('WebSocket messages', count, 0, async (headers, onDone, isStopped) => {
    using socket = await openServiceSocket(server, name, '/', headers);
    for (let number = 1; !isStopped(); number++) {
      // Where the server has closed, the close frame is what comes next.
      await socket.send(String(number)).catch(() => {});
      const next = await socket.next();
      if ('closeCode' in next) {
        if (next.closeCode === SERVICE_RESTART) return;
        throw new Error(`WebSocket: closed with ${next.closeCode}`);
      }
      if (next.text !== String(number)) throw new Error(`WebSocket: ${next.text} in place of ${number}`);
      onDone();
      await sleep(MESSAGE_GAP_MS);
    }
  });
}

/** A request now and then: after a short pause to a suspended instance, after a long one to none. */
export function startVisitors(server: Server, names: readonly string[], pausesMs: readonly number[]): Clients {
  let turn = 0;
  return startClients('cold and suspended services', names.length, 0, async (headers, onDone, isStopped) => {
    const visit = turn++;
    const answer = await request(server, names[visit % names.length] as string, '/status?code=200', { headers });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`);
    onDone();
    const untilMs = performance.now() + (pausesMs[visit % pausesMs.length] as number);
    while (!isStopped() && performance.now() < untilMs) await sleep(100);
  });
}

function startClients(kind: string, count: number, gapMs: number, turn: Turn): Clients {
  const failures: Failure[] = [];
  let done = 0;
  let isStopped = false;
  const client = async () => {
    while (!isStopped) {
      const trace = randomBytes(16).toString('hex');
      const headers = { traceparent: `00-${trace}-${randomBytes(8).toString('hex')}-01` };
      await turn(
        headers,
        () => done++,
        () => isStopped,
      ).catch((error: unknown) => failures.push({ trace, what: `${kind}: ${error}` }));
      if (gapMs > 0) await sleep(gapMs);
    }
  };
  const clients = Array.from({ length: count }, client);
  return {
    kind,
    failures,
    get done() {
      return done;
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}

function expectEcho(status: number, body: string, sent: string): void {
  if (status !== 200 || body !== sent) throw new Error(`${status} ${body.slice(0, 200)}`);
}
