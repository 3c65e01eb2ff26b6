import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Frame } from '@berth/contract/agent';
import { packAgent } from '../../tools/pack-agent/pack-agent.ts';
import { type Berth, REPO } from './berth.ts';
import { type DeployOptions, type DeployOutcome, deployed } from './deploy.ts';
import { type ProjectFiles, readProject } from './project-files.ts';
import { hostOf, request, type ServiceAnswer, type ServiceRequest } from './request.ts';

/** An example with the library beside it, as `npm run pack-agent` leaves it. */
export async function readAgentExample(name: string): Promise<ProjectFiles> {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-pack-'));
  const { file } = await packAgent(REPO, folder.path);
  const files = readProject(path.join(REPO, 'examples', name));
  // What git ignores `berth deploy` leaves out, and the tests, which don't go that way, would not notice.
  if (!String(files['.berthignore']).includes('!vendor/'))
    throw new Error(`${name} would be deployed without the library`);
  return { ...files, [`vendor/${path.basename(file)}`]: readFileSync(file) };
}

/** Deploys `examples/<example>` as `name`, its data on a volume of that name. */
export async function deployAgent(
  berth: Berth,
  name: string,
  example: string,
  fields: DeployOptions['fields'] = {},
): Promise<DeployOutcome> {
  const volumes = JSON.stringify({ '/data': name });
  return deployed(berth, name, { files: await readAgentExample(example), fields: { volumes, ...fields } });
}

/** A token of the platform's identity provider for the agent `name`. */
export async function agentToken(
  berth: Berth,
  name: string,
  credential: Readonly<Record<string, string>> = { 'X-API-Key': berth.key },
): Promise<string> {
  const answer = await fetch(`${berth.url}/v1/user/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...credential },
    body: JSON.stringify({ deployment: name }),
  });
  if (!answer.ok) throw new Error(`token for ${name}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { token: string }).token;
}

/** A deployed agent as one person reaches it. */
export interface AgentCaller {
  call(method: string, path: string, body?: unknown, options?: ServiceRequest): Promise<ServiceAnswer>;
  /** Sends a turn, and answers when its head is there. */
  turn(
    chatId: string,
    text: string,
    more?: Readonly<Record<string, unknown>>,
    options?: Pick<ServiceRequest, 'headers'>,
  ): Promise<FrameStream>;
  /** Opens `GET /chats/{id}/stream`. */
  stream(chatId: string, after?: string): Promise<FrameStream>;
}

export function callerOf(berth: Pick<Berth, 'port'>, name: string, token?: string): AgentCaller {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const json = { 'content-type': 'application/json' };
  return {
    call: (method, target, body, options = {}) =>
      request(berth, name, target, {
        method,
        ...options,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { ...authorization, ...(body === undefined ? {} : json), ...options.headers },
      }),
    turn: (chatId, text, more = {}, options = {}) => {
      const body = { messages: [{ role: 'user', content: text }], ...more };
      return openFrames(berth, name, {
        method: 'POST',
        target: `/chat?id=${chatId}`,
        headers: { ...authorization, ...json, ...options.headers },
        body,
      });
    },
    stream: (chatId, after) => {
      const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
      return openFrames(berth, name, {
        method: 'GET',
        target: `/chats/${chatId}/stream${query}`,
        headers: authorization,
      });
    },
  };
}

/** One event of a turn. */
export interface FrameEvent {
  /** `<run>:<seq>`; undefined for the end. */
  readonly id: string | undefined;
  readonly frame: Frame | '[DONE]';
}

/** The events of a turn as they come, read by hand. */
export interface FrameStream extends Disposable {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All that has come so far. */
  readonly events: readonly FrameEvent[];
  /** Reads on until one fits; it. @throws Error when the stream ends before. */
  until(isWanted: (event: FrameEvent) => boolean): Promise<FrameEvent>;
  /** Reads to the end of the connection, however that comes. */
  finish(): Promise<readonly FrameEvent[]>;
  /** Breaks the connection. */
  [Symbol.dispose](): void;
}

interface FrameRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function openFrames(
  berth: Pick<Berth, 'port'>,
  name: string,
  { method, target, headers, body }: FrameRequest,
): Promise<FrameStream> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing: ClientRequest = httpRequest(
    {
      host: '127.0.0.1',
      port: berth.port,
      path: target,
      method,
      headers: { host: hostOf(berth, name), ...headers },
      agent: false,
    },
    resolve,
  );
  outgoing.on('error', reject);
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const incoming = await promise;
  incoming.setEncoding('utf8');
  const chunks = incoming[Symbol.asyncIterator]() as AsyncIterator<string>;
  const events: FrameEvent[] = [];
  let rest = '';
  /** False at the end of the connection. */
  const readMore = async (): Promise<boolean> => {
    const { done, value } = await chunks.next().catch(() => ({ done: true, value: '' }));
    if (done) return false;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) events.push(readBlock(block));
    return true;
  };
  return {
    status: incoming.statusCode as number,
    headers: incoming.headers,
    events,
    async until(isWanted) {
      for (let seen = 0; ; ) {
        const found = events.slice(seen).find(isWanted);
        if (found) return found;
        seen = events.length;
        if (!(await readMore()))
          throw new Error(`the stream ended before; it said ${JSON.stringify(events.slice(-5))}${rest}`);
      }
    },
    async finish() {
      while (await readMore());
      return events;
    },
    [Symbol.dispose]: () => void outgoing.destroy(),
  };
}

function readBlock(block: string): FrameEvent {
  const lines = block.split('\n');
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field('data') ?? '';
  return { id: field('id'), frame: data === '[DONE]' ? data : (JSON.parse(data) as Frame) };
}

/** The text of a turn's frames. */
export function textOf(events: readonly FrameEvent[]): string {
  return events.map(({ frame }) => (frame !== '[DONE]' && frame.type === 'text' ? frame.text : '')).join('');
}
