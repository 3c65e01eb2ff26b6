import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { DeployEvent } from '@berth/contract';
import type { Berth } from './berth.ts';
import { type ProjectFiles, readProject } from './project-files.ts';
import { packProject } from './tar.ts';

/** A deploy as a client would send it; exactly one of `files`, `folder` and `archive` unless the form is to be wrong. */
export interface DeployOptions {
  readonly files?: ProjectFiles;
  readonly folder?: string;
  readonly archive?: Buffer;
  /** More form fields; `volumes` is `{}` unless given. `undefined` leaves a field out. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** A deploy whose stream was read to its end. */
export interface DeployOutcome {
  readonly events: readonly DeployEvent[];
  /** DONE or ERROR. */
  readonly last: DeployEvent;
  readonly deployId: string;
}

/** The stream of a deploy, event by event. */
export interface DeployStream {
  readonly response: Response;
  /** All events received so far. */
  readonly events: readonly DeployEvent[];
  /** Reads on until `isWanted`; the event it is. @throws Error when the stream ends before. */
  until(isWanted: (event: DeployEvent) => boolean): Promise<DeployEvent>;
  /** Reads to the end. */
  finish(): Promise<DeployOutcome>;
}

/** Sends the form; the answer as it is. */
export function postDeploy(berth: Pick<Berth, 'api'>, name: string, options: DeployOptions): Promise<Response> {
  const form = new FormData();
  const fields = { function_name: name, volumes: '{}', ...options.fields };
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) form.set(field, value);
  const files = options.files ?? (options.folder ? readProject(options.folder) : undefined);
  const archive = options.archive ?? (files ? packProject(files) : undefined);
  if (archive) form.set('source_archive.0', new Blob([new Uint8Array(archive)]), 'source.tar.gz');
  return berth.api('/v1/deploy', {
    method: 'POST',
    body: form,
    ...(options.key ? { headers: { 'X-API-Key': options.key } } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
  });
}

/** Reads an NDJSON stream of deploy events. */
export function readDeployStream(response: Response): DeployStream {
  if (!response.body) throw new Error('the answer has no body');
  const lines = createInterface({ input: Readable.fromWeb(response.body as ReadableStream) })[Symbol.asyncIterator]();
  const events: DeployEvent[] = [];
  const next = async (): Promise<DeployEvent | undefined> => {
    const { done, value } = await lines.next();
    if (done) return undefined;
    const event = JSON.parse(value) as DeployEvent;
    events.push(event);
    return event;
  };
  return {
    response,
    events,
    async until(isWanted) {
      const seen = events.find(isWanted);
      if (seen) return seen;
      for (;;) {
        const event = await next();
        if (!event) throw new Error(`the stream ended before; it said ${JSON.stringify(events, null, 1)}`);
        if (isWanted(event)) return event;
      }
    },
    async finish() {
      while (await next());
      const last = events.at(-1);
      if (!last) throw new Error('the stream held no event');
      return { events, last, deployId: last.deploy_id };
    },
  };
}

/** Starts a deploy that is accepted, and follows it. @throws Error when the form is refused. */
export async function openDeploy(
  berth: Pick<Berth, 'api'>,
  name: string,
  options: DeployOptions,
): Promise<DeployStream> {
  const response = await postDeploy(berth, name, options);
  if (response.status !== 200) throw new Error(`deploy of ${name}: ${response.status} ${await response.text()}`);
  return readDeployStream(response);
}

/** Deploys and waits for the end, whichever it is. */
export async function deploy(berth: Berth, name: string, options: DeployOptions): Promise<DeployOutcome> {
  return (await openDeploy(berth, name, options)).finish();
}

/** Deploys. @throws Error unless it ends in DONE. */
export async function deployed(berth: Berth, name: string, options: DeployOptions): Promise<DeployOutcome> {
  const outcome = await deploy(berth, name, options);
  if (outcome.last.status !== 'DONE') {
    throw new Error(`deploy of ${name} failed:\n${outcome.events.map((event) => JSON.stringify(event)).join('\n')}`);
  }
  return outcome;
}
