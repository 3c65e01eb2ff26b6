#!/usr/bin/env node
// Runs on any Node from 18 on, which is why it is JavaScript: it finds a Node that runs the command line, and hands over.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants, homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const bundle = new URL('../dist/', import.meta.url);

const isRepo = existsSync(path.join(here, '../src'));

/** The first version that runs the code: in the repo, one that strips types without a flag. Of the package, see `engines` in `tools/pack-berth/packages.ts`. */
const [MAJOR, MINOR] = isRepo ? [24, 0] : [22, 16];

/** The Node that npm installed with the repo (the `node` package) or with `berth-server`; undefined when there is none. */
function findInstalledNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = here; ; folder = path.dirname(folder)) {
    const own = `node-${process.platform}-${process.arch}`;
    // `npm install -g` puts the packages of the server below it.
    for (const one of ['node', own, `berth-server/node_modules/${own}`]) {
      const file = path.join(folder, 'node_modules', one, 'bin', name);
      if (existsSync(file)) return file;
    }
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

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > MAJOR || (major === MAJOR && minor >= MINOR)) {
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
      `this is Node ${process.versions.node}; Berth needs Node ${MINOR === 0 ? MAJOR : `${MAJOR}.${MINOR}`} or later. ${
        isRepo ? 'Run `npm ci` in the Berth repo, which brings its own, or install' : 'Install'
      } a newer one from https://nodejs.org.`,
    );
  }
}
