import { readFile } from 'node:fs/promises';
import { createError } from '@berth/contract';
import type { Env, Hono } from 'hono';
import type { AgentLibrary } from './agent-library.ts';

/** Where the registry is; `.npmrc` of a project names `<API>/npm/`. */
const PREFIX = '/npm/';

/**
 * Registers an npm registry that has one package, the agent library. npm asks it for that package's scope only. Source: npm's
 * "Package Metadata" and "Registry API".
 * @param apiUrl the address of the API, without a trailing slash
 */
export function registerNpmRoutes<E extends Env>(api: Hono<E>, library: AgentLibrary, apiUrl: string): void {
  api.get(`${PREFIX}*`, async (c) => {
    const [name = '', file] = decodeURIComponent(new URL(c.req.url).pathname.slice(PREFIX.length)).split('/-/');
    if (name !== library.name) throw createError('not_found', `This registry serves only ${library.name}.`);
    const { version, manifest, integrity, shasum, file: tarball } = await library.load();
    const base = `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
    if (file !== undefined) {
      if (file !== base) throw createError('not_found', `This platform serves only ${name} ${version}.`);
      const headers = { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-cache', ETag: `"${shasum}"` };
      return c.body(new Uint8Array(await readFile(tarball)), 200, headers);
    }
    const dist = { tarball: `${apiUrl}${PREFIX}${name}/-/${base}`, integrity, shasum };
    return c.json(
      {
        name,
        'dist-tags': { latest: version },
        versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
      },
      200,
      { 'Cache-Control': 'no-cache' },
    );
  });
}
