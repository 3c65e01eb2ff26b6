import {
  createFinalURL,
  createQuerySerializer,
  defaultPathSerializer,
  type FetchResponse,
  type ParamsOption,
  type RequestBodyOption,
} from 'openapi-fetch';
import type { FilterKeys, HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { Call, CallOptions, Transport } from './transport.ts';

/**
 * The routes of an OpenAPI document as calls: `get('/v1/user/keys')`,
 * `delete('/v1/user/keys', { params: { query: { id } } })`, `post('/v1/domain/add', { body: { … } })`.
 * `Paths` is the `paths` that openapi-typescript generates.
 * Calls throw a BerthError for every answer but 2xx, and `unavailable` when there was none.
 */
export interface ApiCalls<Paths extends object> {
  readonly get: JsonCall<Paths, 'get'>;
  readonly post: JsonCall<Paths, 'post'>;
  readonly put: JsonCall<Paths, 'put'>;
  readonly patch: JsonCall<Paths, 'patch'>;
  readonly delete: JsonCall<Paths, 'delete'>;
}

/** The JSON that a GET, POST… of `Path` answers; undefined where it may answer 204. */
export type AnswerOf<Paths extends object, Method extends HttpMethod, Path extends keyof Paths> = Extract<
  FetchResponse<Operation<Paths, Path, Method>, object, 'application/json'>,
  { readonly error?: never }
>['data'];

/** The body that a POST, PUT… of `Path` takes: JSON or a form. */
export type BodyOf<Paths extends object, Method extends HttpMethod, Path extends keyof Paths> = NonNullable<
  BodyOption<Operation<Paths, Path, Method>>['body']
>;

type Operation<Paths, Path extends keyof Paths, Method> = FilterKeys<Paths[Path], Method> & Record<string, unknown>;

/** A form is sent as `FormData`; its fields aren't typed. */
type BodyOption<Operation extends Record<string, unknown>> = [RequestOf<Operation>] extends [never]
  ? RequestBodyOption<Operation>
  : RequestOf<Operation> extends { readonly content: { readonly 'multipart/form-data': unknown } }
    ? { readonly body: FormData }
    : RequestBodyOption<Operation>;

type RequestOf<Operation extends Record<string, unknown>> = NonNullable<Operation['requestBody']>;

type JsonCall<Paths extends object, Method extends HttpMethod> = <Path extends PathsWithMethod<Paths, Method>>(
  path: Path,
  ...init: InitOf<ParamsOption<Operation<Paths, Path, Method>> & BodyOption<Operation<Paths, Path, Method>>>
) => Promise<AnswerOf<Paths, Method, Path>>;

/** The second argument of a call; it may be left out where the route needs neither parameters nor a body. */
type InitOf<Input> = RequiredKeysOf<Input> extends never ? [init?: Input & CallOptions] : [init: Input & CallOptions];

/** Calls by `transport`, typed by `Paths`, which the server at its other end has to serve. */
export function createApiCalls<Paths extends object>(transport: Pick<Transport, 'json'>): ApiCalls<Paths> {
  const call =
    (method: HttpMethod) =>
    <Answer>(path: PropertyKey, init?: object) =>
      transport.json<Answer>({ ...init, method, path: String(path) });
  return { get: call('get'), post: call('post'), put: call('put'), patch: call('patch'), delete: call('delete') };
}

/**
 * Returns the path and query of a call, encoded, e.g. `/chats/c1?since=n2`. `serializers` write the parameters of a path of
 * the document where encoding each as one segment is wrong; they have to return all of the path.
 */
export function callUrl(
  { path, params = {} }: Pick<Call, 'path' | 'params'>,
  serializers: Readonly<Record<string, (parameters: Readonly<Record<string, unknown>>) => string>> = {},
): string {
  const defaultPath = (parameters: Record<string, unknown>) => defaultPathSerializer(path, parameters);
  return createFinalURL(path, {
    baseUrl: '',
    params: { path: params.path ?? {}, query: params.query ?? {} },
    querySerializer: createQuerySerializer(),
    pathSerializer: (_, parameters) => (serializers[path] ?? defaultPath)(parameters),
  });
}
