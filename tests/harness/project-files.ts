import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A project in memory: path (relative, `/`) → content. */
export type ProjectFiles = Readonly<Record<string, string | Buffer>>;

/** The files below `folder` as an upload would hold them; `node_modules` stays out. */
export function readProject(folder: string): ProjectFiles {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.split(path.sep).includes('node_modules'));
  return Object.fromEntries(
    names.map((name) => [name.split(path.sep).join('/'), readFileSync(path.join(folder, name))]),
  );
}

/** A Node service without dependencies whose whole program is `source` (an ES module). */
export function nodeProject(source: string, more: ProjectFiles = {}): ProjectFiles {
  const manifest = { type: 'module', scripts: { start: 'node server.js' } };
  return { 'package.json': JSON.stringify(manifest), 'server.js': source, ...more };
}

/** A Node service that answers every request with `text`. */
export function greeter(text: string, more: ProjectFiles = {}): ProjectFiles {
  const source = `
    import { createServer } from 'node:http';
    createServer((request, response) => response.end(${JSON.stringify(text)})).listen(process.env.PORT, '0.0.0.0');
  `;
  return nodeProject(source, more);
}

/** The service of `tests/fixtures/probe`: its header lists what it answers. */
export function probe(more: ProjectFiles = {}): ProjectFiles {
  return { ...readProject(path.join(import.meta.dirname, '../fixtures/probe')), ...more };
}
