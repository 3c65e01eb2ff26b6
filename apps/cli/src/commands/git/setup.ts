import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { runGit } from '../../git/run-git.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';
import { cleanText } from '../../output/clean-text.ts';

const DEFAULT_REMOTE = 'berth';

/** `berth git setup`. */
export const gitSetup = defineCommand({
  name: 'setup',
  summary: 'Add a remote to this repository, so that `git push` deploys',
  description:
    'Adds the remote `berth`, or changes its address, and makes Git ask this command line for the key of the server. The key is written ' +
    'nowhere. After it, `git push berth main` deploys, and prints the progress and the address. Another branch needs --branch.',
  words: LINKED_WORD,
  options: {
    '--branch <name>': 'The branch whose pushes deploy; main until it is set',
    '--remote <name>': 'Name of the remote; berth by default',
  },
  examples: [
    ['berth git setup my-app', 'then: git push berth main'],
    ['berth git setup --branch release', 'pushes to release deploy, others are refused'],
    ['berth git setup my-app-staging --remote staging', 'a second deployment of the same repository'],
  ],
  async run({ words: [typed], options: { branch, remote = DEFAULT_REMOTE } }, context) {
    const { output } = context;
    if (!/^[\w][\w.-]*$/.test(remote)) throw new UsageError(`--remote: "${remote}" can't be the name of a remote.`);
    const name = await requireName(typed, context);
    const client = await context.connect();
    const params = { path: { name } };
    const repository = await (branch === undefined
      ? client.get('/v1/git/{name}', { params })
      : client.put('/v1/git/{name}', { params, body: { branch } }));
    const { baseUrl } = await context.target();
    const url = `${baseUrl}/git/${name}.git`;
    await configure(context, remote, url, baseUrl);
    output.json({ ...repository, url, remote });
    output.say(`Added the remote ${remote}: ${url}`);
    const source = repository.branch === 'main' ? 'main' : `HEAD:${cleanText(repository.branch)}`;
    output.say(`Deploy with: git push ${remote} ${source}`);
  },
});

/** @throws UsageError outside of a repository, or when Git refuses the change */
async function configure(context: Context, remote: string, url: string, baseUrl: string): Promise<void> {
  const { workingFolder, signal, machine } = context;
  const git = (...args: string[]) => runGit(workingFolder, args, signal);
  if ((await git('rev-parse', '--git-dir')) === undefined) {
    throw new UsageError('This folder is not in a Git repository. Run `git init` first.');
  }
  const isThere = (await git('remote', 'get-url', remote)) !== undefined;
  const helper = `!${[machine.programPath, 'git', 'credential', '--url', baseUrl].map(quoted).join(' ')}`;
  const key = `credential.${baseUrl}.helper`;
  const changes = [
    isThere ? ['remote', 'set-url', remote, url] : ['remote', 'add', remote, url],
    // The empty value removes other helpers for this server: they would store the key.
    ['config', '--local', '--replace-all', key, ''],
    ['config', '--local', '--add', key, helper],
  ];
  for (const change of changes) {
    if ((await git(...change)) === undefined) throw new UsageError(`Git refused: git ${change.join(' ')}`);
  }
}

/** Returns a word of a command line for `sh`, which runs the helper. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
