import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Program, startProgram } from './start-program.ts';

const FOLDER = path.join(import.meta.dirname, 'langgraph');

/**
 * Starts the LangGraph.js server; its first use installs it from the npm registry into `bench/agents/langgraph`. It is no
 * dependency of the repo, because it weighs 130 MB and nothing else needs it. There is no lock file, because npm writes one that
 * it refuses itself, for lack of other platforms' packages.
 */
export async function startLanggraph(argv: readonly string[] = []): Promise<Program> {
  if (!existsSync(path.join(FOLDER, 'node_modules', '.package-lock.json'))) {
    const flags = ['--ignore-scripts', '--no-package-lock', '--omit=optional', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', ['install', ...flags], { cwd: FOLDER });
  }
  return startProgram('langgraph/program.mjs', argv);
}
