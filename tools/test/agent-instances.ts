import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/** Tests of agents that can't tell how many instances there are, or are about one. */
export const ONE_INSTANCE: Readonly<Record<string, string>> = {
  'packages/agent/src/connectors/oauth/callback-page.test.ts': 'it is about what a browser does with a page',
  'packages/agent/src/define/define-agent.test.ts': 'it is about how one instance opens and closes',
  'packages/agent/src/files/zip/zip.test.ts': 'a zip is made of a folder by the one instance that is asked',
  'packages/agent/src/page/page.test.ts': 'the page asks routes that are tried here without a browser',
  'packages/agent/src/page/connectors.test.ts': 'the same',
  'packages/agent/src/page/workspace-switch.test.ts': 'the same',
  'packages/agent/src/page/page-routes.test.ts': 'every instance has the same files of the page',
};

/** Files that open agents by `openTestAgent`, or by what is built on it (`open…Agent`): they become two instances without knowing it. */
export function findAgentFiles(): readonly string[] {
  return globSync('packages/agent/src/**/*.test.ts', { cwd: ROOT })
    .filter((file) => !(file in ONE_INSTANCE))
    .filter((file) => /\bopen[A-Z][a-z]*Agent\b/.test(readFileSync(path.join(ROOT, file), 'utf8')))
    .sort();
}
