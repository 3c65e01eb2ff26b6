import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import type { PackedLibrary, SuppliedLibrary } from '@berth/builder';
import { createError } from '@berth/contract';
import { extract } from 'tar-stream';

const PACKER = fileURLToPath(new URL('../../../../tools/pack-agent/main.ts', import.meta.url));
/** The packed library in the image of Berth and in its package. A checkout has none, since its sources may change. */
const PREPACKED = fileURLToPath(new URL('../../../../library/berth-agent-*.tgz', import.meta.url));

/** The agent library as this platform has it. */
export interface AgentLibrary extends SuppliedLibrary {
  /** @throws BerthError `unavailable` when the repo is incomplete */
  load(): Promise<PackedLibrary & { readonly integrity: string; readonly shasum: string }>;
  /** Ends packing and removes the tarball. */
  close(): Promise<void>;
}

/** Puts the packed library into `folder`, which is made when it is missing, and returns its path. */
export async function placeAgentLibrary(folder: string, signal: AbortSignal): Promise<string> {
  const [packed] = globSync(PREPACKED);
  if (packed === undefined) {
    const { stdout } = await promisify(execFile)(process.execPath, [PACKER, folder], { signal });
    return stdout.trim();
  }
  const file = path.join(folder, path.basename(packed));
  await mkdir(folder, { recursive: true });
  await copyFile(packed, file);
  return file;
}

/** Creates the library, which is packed when it is first needed. That takes some seconds after a change of its sources. */
export function createAgentLibrary(): AgentLibrary {
  let folder: string | undefined;
  let loading: ReturnType<AgentLibrary['load']> | undefined;
  const ending = new AbortController();
  const place = async () => {
    folder ??= await mkdtemp(path.join(tmpdir(), 'berth-library-'));
    return placeAgentLibrary(folder, ending.signal);
  };
  const read = async () => {
    const file = await place();
    const bytes = await readFile(file);
    const digest = (algorithm: string) => createHash(algorithm).update(bytes);
    const manifest = await readManifest(file);
    return {
      file,
      manifest,
      version: String(manifest['version']),
      integrity: `sha512-${digest('sha512').digest('base64')}`,
      shasum: digest('sha1').digest('hex'),
    };
  };
  return {
    name: '@berth/agent',
    load() {
      loading ??= read().catch((cause: unknown) => {
        loading = undefined;
        const message = 'The agent library could not be packed. Run "npm ci" in the Berth repo, then try again.';
        throw createError('unavailable', message, { cause });
      });
      return loading;
    },
    async close() {
      ending.abort();
      await loading?.catch(() => {});
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readManifest(file: string): Promise<Readonly<Record<string, unknown>>> {
  const tar = extract();
  let manifest: unknown;
  const reading = (async () => {
    for await (const entry of tar) {
      if (entry.header.name === 'package/package.json') manifest = await json(entry);
      else entry.resume();
    }
  })();
  await Promise.all([pipeline(createReadStream(file), createGunzip(), tar), reading]);
  return manifest as Readonly<Record<string, unknown>>;
}
