import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/** Tests of agents that don't depend on the number of instances, or are about one instance, and why. */
export const ONE_INSTANCE: Readonly<Record<string, string>> = {
  'packages/agent-connectors/src/oauth/callback-page.test.ts': 'it is about what a browser does with a page',
  'packages/agent/src/compose/define-agent.test.ts': 'it is about how one instance opens and closes',
  'packages/agent/src/files/zip.test.ts': 'a zip is made of a folder by the one instance that is asked',
  'packages/agent/src/page/page-routes.test.ts': 'every instance has the same files of the page',
};

/** Finds test files that open agents with `openTestAgent` or a function built on it (`open…Agent`), which can open two instances instead. */
export function findAgentFiles(): readonly string[] {
  return globSync('packages/agent{,-*}/src/**/*.test.ts', { cwd: ROOT })
    .filter((file) => !(file in ONE_INSTANCE))
    .filter((file) => /\bopen[A-Z][a-z]*Agent\b/.test(readFileSync(path.join(ROOT, file), 'utf8')))
    .sort();
}
