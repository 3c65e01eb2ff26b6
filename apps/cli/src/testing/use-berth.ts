import { createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type BerthResult, type RunningBerth, startBerth } from './run-berth.ts';
import { createTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

/** The real command line and a server that says what a test tells it to. */
export interface BerthFixture {
  /** One for all tests of the file. */
  readonly server: ScriptedServer;
  /** Home and working folder, a new one for each test. */
  readonly home: TemporaryFolder;
  /** Runs `berth` with the server's address and a key in the environment. */
  run(words: readonly string[], input?: string): Promise<BerthResult>;
  /** Runs `berth` with nothing in the environment. */
  runAlone(words: readonly string[], input?: string): Promise<BerthResult>;
  /** Starts `berth` as {@link run} does, against `url` if it is given. */
  start(words: readonly string[], url?: string): RunningBerth;
}

/** Sets up a fake server and a `berth` command for the tests of a file. */
export function useBerth(): BerthFixture {
  let server: ScriptedServer | undefined;
  let home: TemporaryFolder | undefined;
  beforeAll(async () => {
    server = await createScriptedServer();
  });
  afterAll(() => server?.close());
  beforeEach(async () => {
    home = await createTemporaryFolder();
    return () => home?.[Symbol.asyncDispose]();
  });
  const present = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('the fixture is there within a test only');
    return value;
  };
  const start = (words: readonly string[], env: Record<string, string>, input: string) =>
    startBerth(words, { cwd: present(home).path, env, input });
  const environment = (url = present(server).url) => ({ BERTH_URL: url, BERTH_API_KEY: 'test-key' });
  return {
    get server() {
      return present(server);
    },
    get home() {
      return present(home);
    },
    run: (words, input = '') => start(words, environment(), input).result,
    runAlone: (words, input = '') => start(words, {}, input).result,
    start: (words, url) => start(words, environment(url), ''),
  };
}
