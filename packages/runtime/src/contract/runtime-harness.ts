import { createIdSource } from '@berth/kit';
import type { Artifact } from '../artifact.ts';
import type { OutputStream } from '../output-sink.ts';
import type { Instance, InstanceSpec, Mount, Owner, Runtime } from '../runtime.ts';
import { eventually } from './eventually.ts';

/** A small Node program, as files. */
export interface Program {
  /** Path in the artifact → content. */
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** A runtime under test. Disposing of it closes the runtime and deletes what the tests made. */
export interface RuntimeHarness extends AsyncDisposable {
  readonly runtime: Runtime;
  /** Makes an artifact that `owner` may run, with Node in its PATH. */
  makeArtifact(program: Program, owner: Owner): Promise<Artifact>;
  /** Makes a volume. Returns a mount of it, and the `path` at which a program that mounts it sees it. */
  makeVolume(): Promise<Omit<Mount, 'isReadOnly'> & { readonly path: string }>;
  /** Returns the text of a file of a volume. */
  readVolumeFile(volume: string, name: string): Promise<string>;
}

/** The owner that contract tests use unless they name another one. */
export const OWNER: Owner = { account: 'acme', deployment: 'hello' };

/** Returns a program of one file, `main.js`. */
export function script(source: string): Program {
  return { files: { 'main.js': source }, command: ['node', 'main.js'] };
}

/** Returns a program that listens on `$PORT` and answers each path of `routes` (path → function body) with the function's result, as JSON. */
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

/** The output of an instance so far. */
export interface Recording {
  readonly stdout: string;
  readonly stderr: string;
}

/** A started instance and its output. */
export interface Started {
  readonly instance: Instance;
  readonly output: Recording;
  /** Sends GET requests for a path until one is answered, and returns the JSON, or the error's name as `{ error }`. */
  get(path: string): Promise<unknown>;
}

const ids = createIdSource();

/** Starts a program, after making an artifact of it unless it is one. */
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
