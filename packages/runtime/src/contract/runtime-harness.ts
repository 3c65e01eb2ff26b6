import { createIdSource } from '@berth/kit';
import type { Artifact } from '../artifact.ts';
import type { Instance, InstanceSpec, Mount, OutputStream, Owner, Runtime } from '../runtime.ts';
import { eventually } from './eventually.ts';

/** A small program for Node, in files. */
export interface Program {
  /** Path in the artifact → content. */
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** How the suite gets at a runtime. Disposing closes it and deletes what was made. */
export interface RuntimeHarness extends AsyncDisposable {
  readonly runtime: Runtime;
  /** An artifact that `owner` may run, with Node in its PATH. */
  makeArtifact(program: Program, owner: Owner): Promise<Artifact>;
  /** A new folder of the host, a mount path for it, and the path where a program that mounts it finds it. */
  makeVolume(): Promise<Omit<Mount, 'isReadOnly'> & { readonly path: string }>;
  /** What is in a file of a volume. */
  readVolumeFile(source: string, name: string): Promise<string>;
}

export const OWNER: Owner = { account: 'acme', deployment: 'hello' };

/** A program of one file, `main.js`. */
export function script(source: string): Program {
  return { files: { 'main.js': source }, command: ['node', 'main.js'] };
}

/** Listens on `$PORT` and answers each path with what the functions of `routes` (path → body of a function) return, as JSON. */
export function server(routes: Readonly<Record<string, string>>, before = ''): Program {
  const table = Object.entries(routes).map(([path, body]) => `${JSON.stringify(path)}: async (fs) => { ${body} }`);
  return script(`
    const fs = require('node:fs');
    ${before}
    const routes = { ${table.join(',\n')} };
    require('node:http').createServer(async (request, response) => {
      try { response.end(JSON.stringify(await routes[request.url](fs)) ?? 'null'); }
      catch (error) { response.writeHead(500).end(String(error.code ?? error)); }
    }).listen(process.env.PORT, '0.0.0.0');
  `);
}

/** What an instance printed. */
export interface Recording {
  readonly stdout: string;
  readonly stderr: string;
}

/** A started instance with its output. */
export interface Started {
  readonly instance: Instance;
  readonly output: Recording;
  /** GET of a path, as soon as it answers: the JSON, or the error's name as `{ error }`. */
  get(path: string): Promise<unknown>;
}

const ids = createIdSource();

/** Makes an artifact of the program and starts it. */
export async function start(
  { runtime, makeArtifact }: RuntimeHarness,
  program: Program | Artifact,
  overrides: Partial<InstanceSpec> = {},
): Promise<Started> {
  const owner = overrides.owner ?? OWNER;
  const chunks: Record<OutputStream, Uint8Array[]> = { stdout: [], stderr: [] };
  const instance = await runtime.start({
    instanceId: ids.next<'instance'>('i'),
    owner,
    revision: 'hello-1',
    artifact: 'kind' in program ? program : await makeArtifact(program, owner),
    env: {},
    port: 8080,
    memoryBytes: 256 * 2 ** 20,
    cpuMillis: 1_000,
    mounts: [],
    output: (stream, chunk) => void chunks[stream].push(chunk),
    ...overrides,
  });
  const { host, port } = instance.address;
  return {
    instance,
    output: {
      get stdout() {
        return Buffer.concat(chunks.stdout).toString();
      },
      get stderr() {
        return Buffer.concat(chunks.stderr).toString();
      },
    },
    get: (path) =>
      eventually(`an answer to ${path}`, async () => {
        const response = await fetch(`http://${host}:${port}${path}`, { headers: { connection: 'close' } });
        const text = await response.text();
        return { value: response.ok ? (JSON.parse(text) as unknown) : { error: text } };
      }).then(({ value }) => value),
  };
}
