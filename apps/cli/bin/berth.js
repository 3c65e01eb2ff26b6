#!/usr/bin/env node
// Runs on any Node from 18 on, which is why it is JavaScript: it finds a Node that runs TypeScript, and hands over.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants, homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const bundle = new URL('../dist/', import.meta.url);

/** The first major version that strips types without a flag and has everything else the code needs. */
const NODE_MAJOR = 24;

/** The Node that npm installed with the repo (the `node` package); undefined when it is not there. */
function findInstalledNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = here; ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'node_modules', 'node', 'bin', name);
    if (existsSync(file)) return file;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** @param {string} node */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes; passing it on would make it two.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on('SIGINT', () => hasTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Node at ${node} does not start: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1));
  });
}

/**
 * Halves the time to start. The cache holds code that will be run, so it is in the user's own folder and never in the shared
 * folder for temporary files.
 */
function enableCompileCache() {
  try {
    module.enableCompileCache?.(path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'berth'));
  } catch {
    // A user without HOME and without an entry in the system's user table has no such folder.
  }
}

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`berth: ${reason}\n`);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
  enableCompileCache();
  const { isFresh } = await import('./is-fresh.js');
  // `npm start` and `npm run web` make the bundle, which starts in a third of the time.
  await import(
    isFresh(fileURLToPath(bundle)) ? new URL('main.js', bundle).href : new URL('../src/main.ts', import.meta.url).href
  );
} else {
  const node = findInstalledNode();
  if (node) runWith(node);
  else {
    fail(
      `this is Node ${process.versions.node}; Berth needs Node ${NODE_MAJOR} or later. ` +
        'Run `npm ci` in the Berth repo, which brings its own, or install a newer one from https://nodejs.org.',
    );
  }
}
