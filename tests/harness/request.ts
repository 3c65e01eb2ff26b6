import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Berth } from './berth.ts';

export interface ServiceRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parses {@link text}. */
  json<Shape>(): Shape;
}

/** The host a service is reached under. Names below `localhost` don't resolve everywhere, so it goes into `Host`. */
export function hostOf(berth: Pick<Berth, 'port'>, name: string): string {
  return `${name}.localhost:${berth.port}`;
}

/** One request to the service `name`, over a connection of its own unless an agent is given. */
export async function request(
  berth: Pick<Berth, 'port'> & Partial<Pick<Berth, 'host'>>,
  name: string,
  path = '/',
  options: ServiceRequest = {},
): Promise<ServiceAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = httpRequest(
    {
      host: berth.host ?? '127.0.0.1',
      port: berth.port,
      path,
      method: options.method ?? 'GET',
      headers: { host: hostOf(berth, name), ...options.headers },
      agent: options.agent ?? false,
      ...(options.signal ? { signal: options.signal } : {}),
    },
    resolve,
  );
  outgoing.on('error', reject);
  outgoing.end(options.body);
  const incoming = await promise;
  const body = await text(incoming);
  return {
    status: incoming.statusCode as number,
    headers: incoming.headers,
    text: body,
    json: () => JSON.parse(body),
  };
}
