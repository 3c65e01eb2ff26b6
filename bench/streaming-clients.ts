import { setTimeout as sleep } from 'node:timers/promises';
import type { Berth } from '../tests/harness/berth.ts';
import { request } from '../tests/harness/request.ts';
import { openServiceSocket } from '../tests/harness/web-socket.ts';

/** What streaming clients came to. */
export interface StreamingResult {
  /** Streams that came whole, or messages that were echoed. */
  readonly done: number;
  readonly failures: readonly string[];
}

/** Clients that run until they are stopped. */
export interface StreamingClients {
  /** Lets each finish what it is at. */
  stop(): Promise<StreamingResult>;
}

type Server = Pick<Berth, 'port'>;

/** Events of a stream, and the milliseconds between two. */
const EVENTS = { count: 20, ms: 250 } as const;
const MESSAGE_GAP_MS = 250;
/** Service restart. Source: IANA, WebSocket Close Code Number Registry. */
const SERVICE_RESTART = 1012;

/** `count` readers of `/events` of the probe service, one stream after the other; each must hold every event, in order. */
export function startEventReaders(server: Server, name: string, count: number): StreamingClients {
  const expected = Array.from({ length: EVENTS.count }, (_value, index) => `${index + 1}`).join();
  return startClients(count, async (onDone) => {
    const answer = await request(server, name, `/events?count=${EVENTS.count}&ms=${EVENTS.ms}`);
    const ids = [...answer.text.matchAll(/^id: (\d+)$/gm)].map((match) => match[1]).join();
    if (answer.status !== 200 || ids !== expected) throw new Error(`event stream: ${answer.status}, events ${ids}`);
    onDone();
  });
}

/** `count` WebSockets to the probe service: numbered messages, each echoed, until the server closes with 1012. */
export function startSocketTalkers(server: Server, name: string, count: number): StreamingClients {
  return startClients(count, async (onDone, isStopped) => {
    using socket = await openServiceSocket(server, name);
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

function startClients(
  count: number,
  turn: (onDone: () => void, isStopped: () => boolean) => Promise<void>,
): StreamingClients {
  const failures: string[] = [];
  let done = 0;
  let isStopped = false;
  const client = async () => {
    while (!isStopped) {
      await turn(
        () => done++,
        () => isStopped,
      ).catch((error: unknown) => failures.push(String(error)));
    }
  };
  const clients = Array.from({ length: count }, client);
  return {
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      return { done, failures };
    },
  };
}
