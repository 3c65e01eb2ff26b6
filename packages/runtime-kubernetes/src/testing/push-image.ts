import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** The parts of an OCI image manifest and its configuration that a new layer changes. Source: OCI image specification 1.1. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}
interface Manifest {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
interface ImageConfig {
  readonly config?: { readonly Env?: readonly string[] };
  readonly rootfs: { readonly type: 'layers'; readonly diff_ids: readonly string[] };
}

/** An image to push. */
export interface TestImage {
  /** Registry and its scheme, e.g. `http://10.240.0.1:5000`. */
  readonly registry: string;
  /** Repository and tag of the base image in the registry, e.g. `node:26`. */
  readonly base: string;
  readonly repository: string;
  /** Path in `/app` → content. */
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** User of the images' programs. */
const USER = 10_001;

/** Pushes an image of a base image and some files. Returns its reference, with its digest. */
export async function pushImage({ registry, base, repository, files, command }: TestImage): Promise<string> {
  const [baseName = '', baseTag = 'latest'] = base.split(':');
  const from = await getJson<Manifest>(`${registry}/v2/${baseName}/manifests/${baseTag}`);
  const config = await getJson<ImageConfig>(`${registry}/v2/${baseName}/blobs/${from.config.digest}`);
  const layer = await makeLayer(files);
  const diffId = digestOf(layer);
  const made = Buffer.from(
    JSON.stringify({
      ...config,
      history: undefined,
      config: {
        ...config.config,
        Env: [...(config.config?.Env ?? []), 'HOME=/home/app'],
        Entrypoint: null,
        Cmd: command,
        WorkingDir: '/app',
        User: `${USER}:${USER}`,
      },
      rootfs: { type: 'layers', diff_ids: [...config.rootfs.diff_ids, diffId] },
    }),
  );
  for (const { digest } of from.layers) await mount(registry, repository, baseName, digest);
  await upload(registry, repository, layer);
  await upload(registry, repository, made);
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(made), size: made.length },
      layers: [
        ...from.layers.map((one) => ({ ...one, mediaType: toOci(one.mediaType) })),
        { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: diffId, size: layer.length },
      ],
    } satisfies Manifest),
  );
  const digest = digestOf(manifest);
  await request(`${registry}/v2/${repository}/manifests/${digest}`, {
    method: 'PUT',
    headers: { 'content-type': MANIFEST },
    body: new Uint8Array(manifest),
  });
  return `${new URL(registry).host}/${repository}@${digest}`;
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const ACCEPTED = `${MANIFEST}, application/vnd.docker.distribution.manifest.v2+json`;

function toOci(mediaType: string): string {
  return mediaType
    .replace('application/vnd.docker.image.rootfs.diff.tar', 'application/vnd.oci.image.layer.v1.tar')
    .replace(/\.gzip$/, '+gzip');
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function makeLayer(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const tar = pack();
  const owner = { uid: USER, gid: USER, mtime: new Date(0) };
  for (const name of ['app/', 'home/app/']) tar.entry({ name, type: 'directory', mode: 0o755, ...owner });
  const folders = new Set<string>();
  for (const [name, content] of Object.entries(files)) {
    const parts = name.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) {
      const folder = `app/${parts.slice(0, depth).join('/')}/`;
      if (!folders.has(folder)) tar.entry({ name: folder, type: 'directory', mode: 0o755, ...owner });
      folders.add(folder);
    }
    tar.entry({ name: `app/${name}`, mode: 0o644, ...owner }, content);
  }
  tar.finalize();
  return buffer(tar);
}

/** Makes a blob of one repository one of another. */
async function mount(registry: string, repository: string, from: string, digest: string): Promise<void> {
  const answer = await request(`${registry}/v2/${repository}/blobs/uploads/?mount=${digest}&from=${from}`, {
    method: 'POST',
  });
  if (answer.status !== 201) throw new Error(`the registry did not mount ${digest}: ${answer.status}`);
}

async function upload(registry: string, repository: string, bytes: Buffer): Promise<void> {
  const begun = await request(`${registry}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
  const place = new URL(begun.headers.get('location') ?? '', registry);
  place.searchParams.set('digest', digestOf(bytes));
  await request(place.href, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
}

async function getJson<Value>(url: string): Promise<Value> {
  return (await (await request(url, { headers: { accept: ACCEPTED } })).json()) as Value;
}

async function request(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.ok) return answer;
  throw new Error(`${init.method ?? 'GET'} ${url}: ${answer.status} ${await answer.text()}`);
}
