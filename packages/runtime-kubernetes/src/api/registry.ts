import { createError } from '@berth/contract';
import type { V1Secret } from '@kubernetes/client-node';

/** An OCI registry for the platform's images. */
export interface RegistryOptions {
  /** e.g. `https://registry.example.com/berth`: the host, and a prefix of all repositories. `http:` for one without TLS. */
  readonly url: string;
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
}

/** Name of the Secret with the registry's credentials, in each namespace whose Pods need them. */
export const REGISTRY_SECRET = 'berth-registry';

/** Returns the Secret with a registry's credentials for a namespace; undefined without credentials. Source: Kubernetes, "Pull an Image from a Private Registry". */
export function registrySecret(
  { url, credentials }: RegistryOptions,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): V1Secret | undefined {
  if (credentials === undefined) return undefined;
  const auth = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/dockerconfigjson',
    metadata: { name: REGISTRY_SECRET, namespace, labels: { ...labels } },
    stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [new URL(url).host]: { auth } } }) },
  };
}

/** The configuration of an image. Source: OCI image specification 1.1. */
export interface RegistryImageConfig {
  readonly Cmd?: readonly string[] | null;
  readonly Entrypoint?: readonly string[] | null;
  readonly ExposedPorts?: Readonly<Record<string, unknown>> | null;
  readonly User?: string;
}

/** A registry, as the control plane uses it. Nodes pull from it by themselves. */
export interface Registry {
  /** Host and prefix of references, e.g. `registry.example.com/berth`. */
  readonly place: string;
  /** It has no TLS. */
  readonly isPlain: boolean;
  /** Reads the configuration of an image that was pushed. @throws BerthError `unavailable` */
  readConfig(repository: string, digest: string): Promise<RegistryImageConfig>;
  /** Deletes an image. Idempotent. A registry that doesn't allow it keeps the image. @returns whether it is gone */
  remove(repository: string, digest: string): Promise<boolean>;
  /** @throws BerthError `unavailable` with what is wrong */
  check(): Promise<void>;
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const ACCEPTED = `${MANIFEST}, application/vnd.docker.distribution.manifest.v2+json`;
const TIMEOUT_MS = 15_000;

/** Opens a registry. Source: OCI distribution specification 1.1; its tokens: Docker, "Token authentication". */
export function openRegistry({ url, credentials }: RegistryOptions): Registry {
  const { origin, host, pathname, protocol } = new URL(url);
  const prefix = pathname.replace(/^\/|\/$/g, '');
  const pathOf = (repository: string) => (prefix === '' ? repository : `${prefix}/${repository}`);
  const basic =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  const tokens = new Map<string, string>();

  /** Gets the token that a challenge asks for. */
  const getToken = async (challenge: string): Promise<string | undefined> => {
    const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
    const realm = field('realm');
    if (!challenge.startsWith('Bearer') || realm === undefined) return basic;
    const place = new URL(realm);
    for (const name of ['service', 'scope']) {
      const value = field(name);
      if (value !== undefined) place.searchParams.set(name, value);
    }
    const answer = await send(place.href, basic === undefined ? {} : { headers: { authorization: basic } });
    const { token, access_token: other } = (await answer.json()) as { token?: string; access_token?: string };
    return `Bearer ${token ?? other ?? ''}`;
  };
  const send = async (place: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(place, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (cause) {
      throw createError('unavailable', `The registry at ${host} did not answer.`, { cause });
    }
  };
  const ask = async (method: string, path: string, scope: string): Promise<Response> => {
    const attempt = (authorization: string | undefined) =>
      send(`${origin}${path}`, { method, headers: { accept: ACCEPTED, ...(authorization && { authorization }) } });
    const answer = await attempt(tokens.get(scope));
    if (answer.status !== 401) return answer;
    const token = await getToken(answer.headers.get('www-authenticate') ?? '');
    if (token === undefined) return answer;
    tokens.set(scope, token);
    return attempt(token);
  };
  const getJson = async <Value>(path: string, scope: string): Promise<Value> => {
    const answer = await ask('GET', path, scope);
    if (answer.ok) return (await answer.json()) as Value;
    throw createError('unavailable', `The registry at ${host} answered ${answer.status} to ${path}.`);
  };

  return {
    place: pathOf('').replace(/\/$/, '') === '' ? host : `${host}/${prefix}`,
    isPlain: protocol === 'http:',
    async readConfig(repository, digest) {
      const path = `/v2/${pathOf(repository)}`;
      const manifest = await getJson<{ readonly config: { readonly digest: string } }>(
        `${path}/manifests/${digest}`,
        repository,
      );
      const image = await getJson<{ readonly config?: RegistryImageConfig }>(
        `${path}/blobs/${manifest.config.digest}`,
        repository,
      );
      return image.config ?? {};
    },
    async remove(repository, digest) {
      const answer = await ask('DELETE', `/v2/${pathOf(repository)}/manifests/${digest}`, `${repository} delete`);
      if ([200, 202, 404].includes(answer.status)) return true;
      if ([401, 403, 405].includes(answer.status)) return false;
      throw createError('unavailable', `The registry at ${host} answered ${answer.status} to a deletion.`);
    },
    async check() {
      const answer = await ask('GET', '/v2/', 'check');
      if (answer.ok) return;
      throw createError('unavailable', `The registry at ${host} answered ${answer.status}. Check its credentials.`);
    },
  };
}
