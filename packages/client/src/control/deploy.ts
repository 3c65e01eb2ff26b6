import type { DeployEvent, StateChange } from '@berth/contract';
import { createError } from '@berth/contract/errors';
import type { BerthError, Clock } from '@berth/kit';
import { type ByteStream, readChunks } from '../streams/read-chunks.ts';
import { connectionError, isConnectionError } from '../transport/connection-error.ts';
import { responseError } from '../transport/response-error.ts';
import type { CallOptions, Transport } from '../transport/transport.ts';
import { type DeployFields, type SettingsToChange, toFormFields } from './deploy-fields.ts';
import { type FollowOptions, followEvents } from './follow-events.ts';
import type { FormAnswer, SendForm, UploadProgress } from './send-form.ts';

export interface DeployRequest {
  readonly fields: DeployFields;
  /** The gzip tar; absent with `source_object`. On Node, `openArchive` of `@berth/client/node` makes one of a file. */
  readonly archive?: Blob;
}

export interface DeployOptions extends CallOptions {
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly onReconnect?: () => void;
}

export interface RollbackOptions extends Omit<DeployOptions, 'onProgress'> {
  readonly revision?: string;
}

/** The calls that answer with the events of a deploy. */
export interface DeployCalls {
  /**
   * Uploads and deploys. Nothing is sent before the first event is asked for; the events then go on to DONE or ERROR,
   * through broken connections. Leaving the loop, or `signal`, stops listening and not the deploy.
   * @throws as every call, while nothing has started; `unavailable` when the upload breaks. Never sent twice.
   */
  deploy(request: DeployRequest, options?: DeployOptions): AsyncGenerator<DeployEvent>;
  /** The events of a deploy that runs or has run. @throws `not_found`, `forbidden` */
  followDeploy(deployId: string, options?: FollowOptions): AsyncGenerator<DeployEvent>;
  /** Rolls back to an older revision: the previous one, or `revision`. */
  rollback(name: string, options?: RollbackOptions): AsyncGenerator<DeployEvent>;
  /** Restarts, stops or resumes a deployment. @throws `not_found`, `conflict` */
  changeState(
    change: StateChange,
    name: string,
    options?: Omit<DeployOptions, 'onProgress'>,
  ): AsyncGenerator<DeployEvent>;
  /** Redeploys the current build with other settings. @throws `invalid`, `not_found`, `conflict` */
  redeploy(
    name: string,
    settings: SettingsToChange,
    options?: Omit<DeployOptions, 'onProgress'>,
  ): AsyncGenerator<DeployEvent>;
}

export function createDeployCalls(transport: Transport, sendForm: SendForm): DeployCalls {
  const { baseUrl, clock } = transport;
  const openEvents = (signal: AbortSignal | undefined) => (deployId: string, seq: number) => {
    const params = { path: { deploy_id: deployId }, query: { after: seq } };
    return transport.open({ method: 'get', path: '/v1/deploys/{deploy_id}/events', params, signal });
  };

  async function upload(request: DeployRequest, options: DeployOptions): Promise<FormAnswer> {
    const url = `${baseUrl}/v1/deploy`;
    let sent: UploadProgress | undefined;
    try {
      const answer = await sendForm({
        url,
        headers: transport.headers(),
        fields: toFormFields(request.fields),
        archive: request.archive,
        onProgress: (progress) => {
          sent = progress;
          options.onProgress?.(progress);
        },
        signal: options.signal ?? transport.signal,
      });
      if (answer.status < 200 || answer.status > 299) {
        throw responseError(answer, await readText(answer.body, clock), url);
      }
      return answer;
    } catch (error) {
      const signal = options.signal ?? transport.signal;
      if (signal?.aborted) throw signal.reason;
      const reason = connectionError(error, baseUrl);
      throw sent && isConnectionError(reason) ? brokenUpload(baseUrl, sent, reason) : reason;
    }
  }

  const follow = (
    source: { readonly deployId: string } | { readonly first: ByteStream },
    options: FollowOptions,
  ): AsyncGenerator<DeployEvent> => {
    const signal = options.signal ?? transport.signal;
    return followEvents({ baseUrl, clock, open: openEvents(signal), ...source }, { ...options, signal });
  };

  async function* post(
    route: string,
    body: object,
    options: Omit<DeployOptions, 'onProgress'>,
  ): AsyncGenerator<DeployEvent> {
    const first = await transport.open({ method: 'post', path: route, body, signal: options.signal });
    yield* follow({ first }, options);
  }

  return {
    async *deploy(request, options = {}) {
      const { body } = await upload(request, options);
      yield* follow({ first: body }, options);
    },
    followDeploy: (deployId, options = {}) => follow({ deployId }, options),
    rollback: (name, { revision, ...options } = {}) =>
      post('/v1/deployment/rollback', { name, ...(revision === undefined ? {} : { revision }) }, options),
    changeState: (change, name, options = {}) => post(`/v1/deployment/${change}`, { name }, options),
    redeploy: (name, settings, options = {}) => post('/v1/deployment/redeploy', { name, ...settings }, options),
  };
}

function brokenUpload(baseUrl: string, { sentBytes, totalBytes }: UploadProgress, cause: BerthError): BerthError {
  const isWhole = sentBytes >= totalBytes;
  return createError(
    'unavailable',
    isWhole
      ? `The connection to ${baseUrl} was lost right after the upload. The deploy may have started. Check the list of deployments.`
      : `The connection to ${baseUrl} broke after ${sentBytes} of ${totalBytes} uploaded bytes. Nothing was deployed.`,
    { details: cause.details, cause },
  );
}

/** An error's body is a sentence or a list of fields; more than this is not one of ours. */
const LONGEST_TEXT_BYTES = 1024 * 1024;

/** A short body as text; what is over 1 MiB is left unread, and a connection that breaks ends it. */
async function readText(stream: ByteStream, clock: Clock): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of readChunks(stream, { clock, idleMs: 10_000 })) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > LONGEST_TEXT_BYTES) break;
    }
  } catch {
    // The status is known and is the error; a server that refuses an upload may close before its sentence is out.
  }
  return text + decoder.decode();
}
